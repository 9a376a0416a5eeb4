// A change of stored networks, from what root keeps of them: what the engine carries out, and what a request is answered
// with.
import type { Change } from '@panel/shared/change/change.ts'
import { canonicalNetworks, networksOrNull } from '@panel/shared/network/canonical.ts'
import type { NetworkState, NetworkStates } from '@panel/shared/network/model.ts'
import { planNetworks } from '@panel/shared/network/plan.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { THROUGH_NETWORKS_MAX } from '@panel/shared/ruleset/connection.ts'

/** What shall be under some destinations. */
export interface Wanted {
  /** Also those that are left. */
  readonly destinations: readonly string[]
  readonly states: readonly NetworkState[]
}

/** Plans a change by reading alone; `before` is what is found, so a change corrects drift on the way. */
export async function planNetworkChange(
  request: Reader,
  { destinations, states }: Wanted,
): Promise<Change<NetworkStates>> {
  const found = await probeNetworks(request, [...new Set(destinations)])
  return {
    before: canonicalNetworks(networksOrNull(found.map(({ state }) => state))),
    after: canonicalNetworks(networksOrNull(states)),
  }
}

/** What root keeps to these destinations; one of which it keeps nothing is left out. */
export async function probeNetworks(request: Reader, destinations: readonly string[]) {
  if (destinations.length === 0) return []
  const isFew = destinations.length <= THROUGH_NETWORKS_MAX
  const { networks } = await request('network.probe', isFew ? { destinations: [...destinations] } : {})
  const named = new Set(destinations)
  return networks.filter(({ state }) => named.has(state.destination))
}

/** The changes for root; none if nothing is to be done. */
export const changesIn = (change: Change<NetworkStates>): Change<NetworkStates>[] =>
  planNetworks(change.before, change.after).length === 0 ? [] : [change]

export const foreseenOf = (change: Change<NetworkStates>, warnings: readonly Warning[]): Foreseen => ({
  changes: changesIn(change).map((one) => ({ noun: 'network', change: one })),
  warnings,
})
