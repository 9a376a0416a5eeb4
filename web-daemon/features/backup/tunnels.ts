// The tunnels of a backup: existing ones are skipped, the others are created as by a request of their own
// (decisions.md, B5).
import type { BackupTunnel, ImportAction } from '@panel/shared/api/backup.ts'
import { TUNNEL_TYPES } from '@panel/shared/api/base/lookups.ts'
import { message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import type { ReadContext } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { existingTunnels, type ExistingTunnel } from '../tunnels/store.ts'
import type { Ids } from './ids.ts'
import type { Item } from './read.ts'
import { normalizeIp } from './normalize.ts'
import { importEach, skip, type Job, type Worker } from './worker.ts'

interface Tunnels {
  readonly items: readonly Item<BackupTunnel>[]
  readonly isIncluded: boolean
  readonly force: boolean
  readonly pools: Ids
}

/** What a dry run has reported as created: later items may refer to it. */
export class PlannedTunnels {
  readonly names = new Set<string>()
  readonly addresses = new Set<string>()

  add({ interface_name, addresses = [] }: BackupTunnel): void {
    if (interface_name !== undefined) this.names.add(interface_name)
    for (const { address } of addresses) this.addresses.add(normalizeIp(address))
  }
}

/** Adds to `ids` what each tunnel is on this host. */
export async function importTunnels(
  worker: Worker,
  { db }: Pick<ReadContext, 'db'>,
  { items, isIncluded, force, pools }: Tunnels,
  ids: Ids,
): Promise<{ actions: ImportAction[]; planned: PlannedTunnels }> {
  const planned = new PlannedTunnels()
  const existing = new ExistingTunnels(await existingTunnels(db))
  const actions = await importEach(worker, 'tunnel', items, async ({ path, item }) => {
    const { tunnel_id: id_in_backup, ...body } = item
    const job = (): Job => importJob({ place: path, body: force ? { ...body, force } : body, pools, planned })
    const action = existing.skipExisting(item) ?? (isIncluded ? await worker.do(job()) : null)
    const isPlanned = action?.action === 'would_create'
    if (isPlanned) planned.add(item)
    if (isPlanned || action?.action === 'create')
      existing.add({ ...item, interface_name: action.target, tunnel_id: action.target_id })
    ids.learn(id_in_backup, action?.target_id ?? null, isPlanned)
    return action
  })
  return { actions: isIncluded ? actions : [], planned }
}

/** The fields that tell tunnels apart; the id is null if the tunnel is only planned. */
interface ComparedTunnel
  extends
    Partial<Pick<ExistingTunnel, 'interface_name' | 'tunnel_type_id' | 'ikey'>>,
    Pick<ExistingTunnel, 'local_endpoint' | 'remote_endpoint'> {
  readonly tunnel_id?: number | null
}

class ExistingTunnels {
  readonly #byName = new Map<string, ComparedTunnel>()
  readonly #byEndpoints = new Map<string, ComparedTunnel>()

  constructor(here: readonly ExistingTunnel[]) {
    for (const tunnel of here) this.add(tunnel)
  }

  add(tunnel: ComparedTunnel): void {
    if (tunnel.interface_name !== undefined) this.#byName.set(tunnel.interface_name, tunnel)
    this.#byEndpoints.set(endpointKey(tunnel), tunnel)
  }

  skipExisting(item: ComparedTunnel): ImportAction | null {
    const named = this.#byName.get(item.interface_name ?? '')
    if (named) return skip('tunnel', displayName(named), named.tunnel_id ?? null, message('backup.tunnel_same_name'))
    // Without an ikey a new key is generated, so no existing tunnel can be the same.
    const alike = item.ikey === undefined ? undefined : this.#byEndpoints.get(endpointKey(item))
    return alike
      ? skip(
          'tunnel',
          displayName(item),
          alike.tunnel_id ?? null,
          message('backup.tunnel_same_ends', {
            tunnel: tunnelNamed({ interface_name: displayName(alike), tunnel_id: alike.tunnel_id }),
          }),
        )
      : null
  }
}

/** What the kernel tells tunnels apart by. */
const endpointKey = ({
  tunnel_type_id = TUNNEL_TYPES.GRE,
  local_endpoint,
  remote_endpoint,
  ikey,
}: ComparedTunnel): string =>
  [tunnel_type_id, normalizeIp(local_endpoint), normalizeIp(remote_endpoint), ikey].join(' ')

const displayName = ({ interface_name, local_endpoint, remote_endpoint }: ComparedTunnel): string =>
  interface_name ?? `${local_endpoint} → ${remote_endpoint}`

interface One {
  readonly place: string
  readonly body: Omit<BackupTunnel, 'tunnel_id'>
  readonly pools: Ids
  readonly planned: PlannedTunnels
}

function importJob({ place, body: given, pools, planned }: One): Job {
  const { address_pool_id: id_in_backup, bind_device } = given
  const isLost = typeof id_in_backup === 'number' && pools.here(id_in_backup) === null && !pools.isPlanned(id_in_backup)
  const hasAddresses = (given.addresses ?? []).length > 0
  return {
    kind: 'tunnel',
    target: displayName(given),
    place,
    method: 'POST',
    path: '/tunnels',
    body: id_in_backup === undefined ? given : { ...given, address_pool_id: pools.here(id_in_backup) },
    isUnforeseen: typeof bind_device === 'string' && planned.names.has(bind_device),
    ...(isLost && (hasAddresses ? { detail: message('backup.tunnel_no_pool') } : { refused: noPool(id_in_backup) })),
  }
}

const noPool = (pool_id: number): Refusal =>
  new Refusal('VALIDATION_FAILED', message('backup.pool_missing_no_addresses', { pool_id }), {
    field: 'address_pool_id',
  })
