// The networks of a backup: one whose title or destination exists already is skipped, the others are created
// (decisions.md, B2, B7).
import type { BackupNetwork, ImportAction } from '@panel/shared/api/backup.ts'
import type { FieldCode } from '@panel/shared/api/base/codes.ts'
import { formatCidr, parseCidr } from '@panel/shared/address/ip.ts'
import { CreateNetworkBody } from '@panel/shared/api/networks/bodies.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { titleKey } from '../../platform/db/search.ts'
import type { Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { foreseenOf } from '../networks/change.ts'
import { createNetwork, planCreation } from '../networks/create.ts'
import type { NetworkRecord } from '../networks/record.ts'
import { allNetworks } from '../networks/store.ts'
import type { Ids } from './ids.ts'
import type { Item } from './read.ts'
import { skip, wrong, type ImportResult, type Job, type Worker } from './worker.ts'

interface Networks {
  readonly items: readonly Item<BackupNetwork>[]
  readonly context: ReadContext
  readonly tunnels: Ids
}

export async function importNetworks(worker: Worker, { items, context, tunnels }: Networks): Promise<ImportAction[]> {
  const actions: ImportAction[] = []
  const here = items.length === 0 ? [] : await allNetworks(context.db)
  for (const one of items)
    actions.push(
      one.fault
        ? wrong(worker, 'network', one)
        : (skipExisting(here, one.item) ?? (await worker.do(importJob(one.path, one.item, tunnels)))),
    )
  return actions
}

function skipExisting(all: readonly NetworkRecord[], item: BackupNetwork): ImportAction | null {
  const network = parseCidr(item.destination)
  const [destination, title] = [network && formatCidr(network), titleKey(item.network_title ?? '')]
  const here = all.find((one) => one.destination === destination || titleKey(one.network_title) === title)
  return here ? skip('network', nameOf(item), here.network_id, message('backup.network_same')) : null
}

const nameOf = ({ network_title, destination }: BackupNetwork): string => network_title ?? destination

/** A path whose tunnel is not here is left out; of a network without any other there is nothing to make. */
function importJob(path: string, item: BackupNetwork, tunnels: Ids): Job {
  const isPlanned = item.paths.some(({ tunnel_id }) => tunnels.isPlanned(tunnel_id))
  const paths = item.paths.flatMap((one) => {
    const tunnel_id = tunnels.here(one.tunnel_id)
    return tunnel_id === null ? [] : [{ ...one, tunnel_id }]
  })
  const isWhole = isPlanned || paths.length === item.paths.length
  return {
    kind: 'network',
    target: nameOf(item),
    path,
    action: 'create',
    ...(!isWhole && { detail: message('backup.network_fewer_paths') }),
    audit: 'NetworkCreate',
    body: { ...item, paths },
    schema: CreateNetworkBody,
    needsHelper: true,
    dryRun: isPlanned ? null : dryRunNetwork,
    apply: async (context, incoming) => {
      requirePaths(incoming)
      const { network, warnings } = (await createNetwork(context, incoming)).body
      return { target_id: network.network_id, warnings, target: network.network_title }
    },
    existingId: existingInRefusal,
  }
}

function requirePaths({ body }: Incoming<CreateNetworkBody>): void {
  if (body.paths.length > 0) return
  throw new Refusal('VALIDATION_FAILED', message('backup.network_no_tunnel'), { field: 'paths' })
}

async function dryRunNetwork(context: ReadContext, incoming: Incoming<never>): Promise<ImportResult> {
  requirePaths(incoming)
  const { change, warnings } = await planCreation(context, incoming)
  return { target_id: null, ...foreseenOf(change, warnings) }
}

/** One that is twice in the same backup. */
function existingInRefusal({ details }: Refusal): number | null {
  const fields = (details['fields'] ?? []) as readonly {
    readonly code: FieldCode
    readonly details: { readonly network_id?: number }
  }[]
  const one = fields.find(({ code }) => code === 'NETWORK_EXISTS' || code === 'NETWORK_TITLE_CONFLICT')
  return one?.details.network_id ?? null
}
