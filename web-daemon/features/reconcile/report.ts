// One item for each stored tunnel and for each tunnel of the host that the panel does not manage (reference.md, GET
// /reconcile; decisions.md, S8, S9, S12).
import { RECONCILE_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { LegacyName, ReconcileCounts, ReconcileItem } from '@panel/shared/api/reconcile.ts'
import { madeOnce } from '@panel/shared/made-once.ts'
import { INTERFACE_NAME_PATTERN, type TunnelState } from '@panel/shared/tunnel/model.ts'
import { parseFileName } from '@panel/shared/tunnel/saved-file.ts'
import type { ReadContext } from '../../platform/context.ts'
import { pathOf, type Folders } from '../tunnels/plan-view.ts'
import { observedView } from '../tunnels/view.ts'
import { gather, type Managed, type Unmanaged } from './gather.ts'
import { compareTunnel, type Comparison } from './compare.ts'
import { pathsOf } from './persistence.ts'
import { message, messageFields } from '@panel/shared/messages/message.ts'
import { legacyOf } from './legacy.ts'

/** The part of an item that does not depend on what passes have noticed. */
export type Item = Omit<ReconcileItem, 'noticed' | 'heal'>

export interface Report {
  /** Ignored ones too. */
  readonly items: Item[]
  /** Whether each stored tunnel is put back, by its name, if it has a setting of its own. */
  readonly heals: ReadonlyMap<string, boolean | null>
  readonly ignored_interfaces: string[]
  readonly leftover_units: string[]
}

export async function compareAll(context: Pick<ReadContext, 'db' | 'request' | 'settings'>): Promise<Report> {
  const ignored_interfaces = [...context.settings.get('system.ignored_interfaces')]
  const { managed, unmanaged, leftovers, folders } = await gather(context)
  const items = [
    ...managed.map((one) =>
      managedItems(one.record.interface_name, [one, folders.unit_dir, folders.networkd_dir], () =>
        managedItem(one, folders),
      ),
    ),
    ...unmanaged.map((one) => unmanagedItem(one, folders, ignored_interfaces.includes(one.interface_name))),
  ]
  return {
    items,
    heals: new Map(managed.map(({ record }) => [record.interface_name, record.is_self_heal])),
    ignored_interfaces,
    leftover_units: leftovers.flatMap(({ interface_name, state }) =>
      pathsOf(folders, interface_name, state?.saved ?? null),
    ),
  }
}

export function countsOf(items: readonly Item[]): ReconcileCounts {
  const counts: ReconcileCounts = { InSync: 0, Drifted: 0, Missing: 0, Unmanaged: 0, Inconsistent: 0 }
  for (const { status } of items) counts[status] += 1
  return counts
}

/** Nothing has to be compared again where it is as it was. */
const managedItems = madeOnce<Item>()

function managedItem({ record, wanted, found }: Managed, folders: Folders): Item {
  return {
    interface_name: record.interface_name,
    display_name: record.display_name,
    tunnel_id: record.tunnel_id,
    ...withStatusId(compareTunnel(record, wanted, found)),
    actions: ['reapply', 'forget', 'delete'],
    legacy: legacyNameOf(found.interface_name, found.state, found.foreign_files, folders),
    observed: observedView(found.observed),
    is_ignored: false,
    unmodelled: found.unmodelled,
    foreign_files: found.foreign_files,
  }
}

const NAME = new RegExp(INTERFACE_NAME_PATTERN)

function unmanagedItem(
  { interface_name, observed, unmodelled, foreign_files, whole }: Unmanaged,
  folders: Folders,
  is_ignored: boolean,
): Item {
  const canBeAdopted = NAME.test(interface_name)
  const sentence = message(canBeAdopted ? 'drift.unmanaged' : 'drift.unmanaged_name')
  return {
    interface_name,
    display_name: '',
    tunnel_id: null,
    ...withStatusId({ status: 'Unmanaged', sentence, diffs: [] }),
    actions: [...(canBeAdopted ? (['adopt'] as const) : []), is_ignored ? 'unignore' : 'ignore'],
    legacy: legacyNameOf(interface_name, whole?.state ?? null, foreign_files, folders),
    observed: observedView(observed),
    is_ignored,
    unmodelled,
    foreign_files,
  }
}

export function legacyNameOf(
  interface_name: string,
  state: TunnelState | null,
  foreign_files: readonly string[],
  folders: Folders,
): LegacyName | null {
  const own = pathsOf(folders, interface_name, state?.saved ?? null)
  const foreign = foreign_files
    .flatMap((file) => parseFileName(file)?.kind ?? [])
    .map((kind) => pathOf(folders, kind, interface_name))
  return legacyOf(interface_name, { unit_path: own[0] ?? foreign[0] ?? '', is_panel_owned: own.length > 0 })
}

const withStatusId = ({ status, sentence, diffs }: Comparison) => ({
  status,
  reconcile_status_id: RECONCILE_STATUSES[status],
  ...messageFields('detail', sentence),
  diffs,
})
