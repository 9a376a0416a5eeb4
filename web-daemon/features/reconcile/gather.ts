// Brings together what is stored and what the host holds, in as little time as a thousand tunnels allow.
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import type { TunnelDigest } from '@panel/shared/rpc/digest.ts'
import { madeOnce } from '@panel/shared/made-once.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import type { ReadContext } from '../../platform/context.ts'
import { stateOf, type TunnelRecord } from '../tunnels/record.ts'
import type { Folders } from '../tunnels/plan-view.ts'
import { pageOfTunnels } from '../tunnels/store.ts'
import { recordOf } from '../tunnels/store-record.ts'
import type { Compared } from './compare.ts'
import { digestOf, readDigests, probeNames, type Found } from './host.ts'
import { isLegacy } from './legacy.ts'

/** What a comparison needs of a stored tunnel beside its state. It is kept, and there may be thousands. */
type Brief = Compared & Pick<TunnelRecord, 'tunnel_id' | 'display_name' | 'is_self_heal'>

interface Stored {
  readonly record: Brief
  readonly wanted: TunnelState
  readonly digest: string
}

export interface Managed {
  readonly record: Brief
  readonly wanted: TunnelState
  readonly found: Found
}

export interface Unmanaged extends Omit<TunnelDigest, 'digest'> {
  /** Null where it is not needed. */
  readonly whole: Found | null
}

export interface Gathered {
  readonly managed: Managed[]
  /** Tunnel links that are not stored, by their names. */
  readonly unmanaged: Unmanaged[]
  /** Names that only files of ours stand for. */
  readonly leftovers: Found[]
  readonly folders: Folders
}

const ALL = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }

export async function gather({ db, request }: Pick<ReadContext, 'db' | 'request'>): Promise<Gathered> {
  // Root looks at everything while the records are read here.
  const [digests, folders, stored] = await Promise.all([readDigests(request), foldersOf(request), storedTunnels(db)])
  const isStored = new Set(stored.map(({ wanted }) => wanted.interface_name))
  const others = [...digests.values()].filter(({ interface_name }) => !isStored.has(interface_name)).sort(byName)
  const links = others.filter(({ observed }) => observed !== null)
  const leftovers = others.filter(({ observed, foreign_files }) => observed === null && foreign_files.length === 0)
  const differing = stored.filter(differsFrom(digests)).map(({ wanted }) => wanted)
  const probed = await probeNames(
    request,
    [...differing, ...leftovers, ...links.filter(({ interface_name }) => isLegacy(interface_name))].map(nameOf),
  )
  return {
    managed: stored.flatMap((one) => {
      const { interface_name } = one.record
      const [whole, digest] = [probed.get(interface_name), digests.get(interface_name)]
      return managed(interface_name, [one, whole, digest], () => withFound(one, whole ?? asWanted(digest, one.wanted)))
    }),
    unmanaged: links.map((link) => ({ ...link, whole: probed.get(link.interface_name) ?? null })),
    leftovers: leftovers.flatMap(({ interface_name }) => probed.get(interface_name) ?? []),
    folders,
  }
}

async function storedTunnels(db: ReadContext['db']): Promise<Stored[]> {
  const { rows } = await pageOfTunnels(db, {}, ALL)
  return (await rows()).map(({ interface_name, record }) => stored(interface_name, [record], () => storedOf(record)))
}

/** For exactly this record, so it cannot be out of date. */
const stored = madeOnce<Stored>()

function storedOf(text: string): Stored {
  const record = recordOf(text)
  const wanted = stateOf(record)
  const { tunnel_id, interface_name, display_name, is_enabled, is_self_heal } = record
  const { apply_status_id, last_apply_error_message } = record
  const names = { tunnel_id, interface_name, display_name }
  const brief = { ...names, is_enabled, is_self_heal, apply_status_id, last_apply_error_message }
  return { record: brief, wanted, digest: digestOf(wanted) }
}

const nameOf = ({ interface_name }: { readonly interface_name: string }): string => interface_name
const byName = (a: TunnelDigest, b: TunnelDigest): number => (a.interface_name < b.interface_name ? -1 : 1)

/** A name that nothing stands under has no digest, and is looked at like any that differs. */
const differsFrom =
  (digests: ReadonlyMap<string, TunnelDigest>) =>
  ({ wanted, digest }: Stored): boolean =>
    digests.get(wanted.interface_name)?.digest !== digest

/** Nothing has to be compared again where it is as it was. */
const managed = madeOnce<readonly Managed[]>()

const withFound = ({ record, wanted }: Stored, found: Found | null): readonly Managed[] =>
  found ? [{ record, wanted, found }] : []

/** The wanted state if the digests are equal. */
const asWanted = (digest: TunnelDigest | undefined, wanted: TunnelState): Found | null =>
  digest ? { ...digest, state: wanted } : null

async function foldersOf(request: Reader): Promise<Folders> {
  const { helper } = await request('host.probe', { parts: ['helper'] })
  if (!helper) throw new Error('The helper left out a part of the host that was requested')
  return helper
}
