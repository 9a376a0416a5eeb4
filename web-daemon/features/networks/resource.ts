// Networks as a resource of the engine: how root changes them, and how their records are stored and named.
import { message } from '@panel/shared/messages/message.ts'
import { networkNamed } from '@panel/shared/messages/named.ts'
import { changedDestinations, networksOrNull } from '@panel/shared/network/canonical.ts'
import { NETWORKS_PER_CHANGE_MAX, type NetworkStates } from '@panel/shared/network/model.ts'
import type { Change } from '@panel/shared/change/change.ts'
import type { Resource } from '../../change/resource.ts'
import type { CommandContext, StoreContext } from '../../platform/context.ts'
import type { NetworkRecord, NewNetwork } from './record.ts'
import { asNetworkRefusal } from './refusals.ts'
import { insertNetwork, markApplied, markDeleted, replaceNetwork } from './store-write.ts'
import { requireNetwork } from './target.ts'

export type NetworkResource = Resource<NetworkRecord, NewNetwork, NetworkStates>

/** `reviving`: the id that a network which is made gets again. */
export function networkResource(
  context: Pick<CommandContext, 'db' | 'request' | 'publish'>,
  reviving?: number,
): NetworkResource {
  const { request } = context
  return {
    ...networkRecords(context, reviving),
    apply: (change) =>
      request('network.apply', asParams(change)).catch((thrown: unknown) => {
        throw asNetworkRefusal(thrown)
      }),
    verify: (change) => request('network.verify', asParams(change)),
    split,
    describe,
    codes: { restored: 'APPLY_FAILED', stuck: 'NETWORK_INCONSISTENT' },
  }
}

/** The part of the resource that is about their records. */
export function networkRecords(
  { db, publish }: Pick<StoreContext, 'db' | 'publish'>,
  reviving?: number,
): Pick<NetworkResource, 'noun' | 'idOf' | 'store' | 'onStored'> {
  return {
    noun: 'network',
    idOf: ({ network_id }) => network_id,
    store: {
      insert: (transaction, draft) => insertNetwork(transaction, draft, reviving),
      replace: replaceNetwork,
      remove: markDeleted,
      markDeleted,
      mark: markApplied,
      read: (network_id) => requireNetwork(db, network_id),
    },
    onStored: (_event, rows) => publish('networks.changed', { network_ids: rows.map(({ network_id }) => network_id) }),
  }
}

const asParams = ({ before, after }: Change<NetworkStates>) => ({
  before: before && [...before],
  after: after && [...after],
})

function split(change: Change<NetworkStates>): Change<NetworkStates>[] {
  const destinations = changedDestinations(change)
  const pieces = Array.from({ length: Math.ceil(destinations.length / NETWORKS_PER_CHANGE_MAX) }, (_, at) =>
    destinations.slice(at * NETWORKS_PER_CHANGE_MAX, (at + 1) * NETWORKS_PER_CHANGE_MAX),
  )
  const within = (states: NetworkStates | null, piece: readonly string[]): NetworkStates | null =>
    networksOrNull((states ?? []).filter(({ destination }) => piece.includes(destination)))
  return pieces.map((piece) => ({ before: within(change.before, piece), after: within(change.after, piece) }))
}

function describe(rows: readonly (NetworkRecord | NewNetwork)[]): ReturnType<NetworkResource['describe']> {
  const [first] = rows
  if (rows.length !== 1 || !first) return { what: message('object.networks', { count: rows.length }), details: {} }
  return {
    what: message('object.the_network', { network: networkNamed(first) }),
    details: 'network_id' in first ? { network_id: first.network_id } : {},
  }
}
