// The tunnels of a backup: those that are here are left as they are, the others made, each as a request of its own would make it (decisions.md, B5).
import type { BackupTunnel, ImportAction } from '@panel/shared/api/backup.ts'
import { TUNNEL_TYPES } from '@panel/shared/api/lookups.ts'
import { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { createTunnel, refuseUnsupported } from '../tunnels/create.ts'
import { draftTunnel } from '../tunnels/draft/draft.ts'
import { neighbours, type Neighbour } from '../tunnels/store.ts'
import type { Ids } from './ids.ts'
import type { Item } from './read.ts'
import { spelledIp } from './spelling.ts'
import { skip, type Done, type Job, type Worker } from './worker.ts'

interface Tunnels {
  readonly items: readonly Item<BackupTunnel>[]
  readonly isIncluded: boolean
  readonly context: ReadContext
  readonly force: boolean
  readonly pools: Ids
}

/** What a dry run has said would be made: later items may lean on it. */
export class Coming {
  readonly names = new Set<string>()
  readonly addresses = new Set<string>()

  add({ interface_name, addresses = [] }: BackupTunnel): void {
    if (interface_name !== undefined) this.names.add(interface_name)
    for (const { address } of addresses) this.addresses.add(spelledIp(address))
  }
}

/** `ids` is told what each is here. */
export async function importTunnels(
  worker: Worker,
  { items, isIncluded, context, force, pools }: Tunnels,
  ids: Ids,
): Promise<{ actions: ImportAction[]; coming: Coming }> {
  const actions: ImportAction[] = []
  const coming = new Coming()
  const known = new KnownTunnels(await neighbours(context.db))
  for (const { path, item } of items) {
    const { tunnel_id: own, ...body } = item
    const action =
      known.twinOf(item) ??
      (isIncluded ? await worker.do(jobOf({ path, body: force ? { ...body, force } : body, pools, coming })) : null)
    if (action && isIncluded) actions.push(action)
    const isComing = action?.action === 'would_create'
    if (isComing) coming.add(item)
    if (isComing || action?.action === 'create')
      known.add({ ...item, interface_name: action.target, tunnel_id: action.target_id })
    ids.learn(own, action?.target_id ?? null, isComing)
  }
  return { actions, coming }
}

/** As far as one is told from another; the id is null where it is only to be made. */
interface Known
  extends
    Partial<Pick<Neighbour, 'interface_name' | 'tunnel_type_id' | 'ikey'>>,
    Pick<Neighbour, 'local_endpoint' | 'remote_endpoint'> {
  readonly tunnel_id?: number | null
}

class KnownTunnels {
  readonly #byName = new Map<string, Known>()
  readonly #byEnds = new Map<string, Known>()

  constructor(here: readonly Neighbour[]) {
    for (const tunnel of here) this.add(tunnel)
  }

  add(tunnel: Known): void {
    if (tunnel.interface_name !== undefined) this.#byName.set(tunnel.interface_name, tunnel)
    this.#byEnds.set(endsOf(tunnel), tunnel)
  }

  twinOf(item: Known): ImportAction | null {
    const named = this.#byName.get(item.interface_name ?? '')
    if (named)
      return skip(
        'tunnel',
        nameOf(named),
        named.tunnel_id ?? null,
        'A tunnel of this name is here, and is left as it is.',
      )
    // A key that would be drawn is nobody's yet.
    const alike = item.ikey === undefined ? undefined : this.#byEnds.get(endsOf(item))
    return alike
      ? skip(
          'tunnel',
          nameOf(item),
          alike.tunnel_id ?? null,
          `${nameOf(alike)} is here with the same endpoints and key, and is left as it is.`,
        )
      : null
  }
}

/** What the kernel tells tunnels apart by. */
const endsOf = ({ tunnel_type_id = TUNNEL_TYPES.GRE, local_endpoint, remote_endpoint, ikey }: Known): string =>
  [tunnel_type_id, spelledIp(local_endpoint), spelledIp(remote_endpoint), ikey].join(' ')

const nameOf = ({ interface_name, local_endpoint, remote_endpoint }: Known): string =>
  interface_name ?? `${local_endpoint} → ${remote_endpoint}`

interface One {
  readonly path: string
  readonly body: Omit<BackupTunnel, 'tunnel_id'>
  readonly pools: Ids
  readonly coming: Coming
}

function jobOf({ path, body: given, pools, coming }: One): Job {
  const { address_pool_id: own } = given
  const isLost = typeof own === 'number' && pools.here(own) === null && !pools.isComing(own)
  const body = own === undefined ? given : { ...given, address_pool_id: pools.here(own) }
  const hasAddresses = (given.addresses ?? []).length > 0
  return {
    kind: 'tunnel',
    target: nameOf(given),
    path,
    wish: 'create',
    detail:
      isLost && hasAddresses ? 'Its pool is not on this server: it keeps its addresses and belongs to no pool.' : '',
    audit: 'TunnelCreate',
    body,
    schema: CreateTunnelBody,
    needsHelper: true,
    look: typeof given.bind_device === 'string' && coming.names.has(given.bind_device) ? null : lookAt,
    carryOut: async (context, incoming) => {
      if (isLost && !hasAddresses)
        throw new Refusal(
          'VALIDATION_FAILED',
          `The backup's pool ${own} is not on this server, and the tunnel has no addresses of its own.`,
          { field: 'address_pool_id' },
        )
      const { tunnel, warnings } = (await createTunnel(context, incoming, RESTORED)).body
      return { target_id: tunnel.tunnel_id, warnings, target: tunnel.interface_name }
    },
  }
}

const RESTORED = { isRestored: true }

async function lookAt(context: ReadContext, incoming: Incoming<never>): Promise<Done> {
  const draft = await draftTunnel(context, incoming, RESTORED)
  await refuseUnsupported(context, draft)
  return { target_id: null, warnings: draft.warnings }
}
