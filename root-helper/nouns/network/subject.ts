// Networks as a subject of the transaction.
import { message } from '@panel/shared/messages/message.ts'
import { canonicalNetworks, changedDestinations, networksOrNull } from '@panel/shared/network/canonical.ts'
import type { NetworkStates } from '@panel/shared/network/model.ts'
import { checkNetworks, planNetworks, type NetworkStep } from '@panel/shared/network/plan.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import { log } from '../../log.ts'
import { canonicalOr } from '../../policy.ts'
import type { Subject } from '../../subject.ts'
import { messageOf } from '../../text.ts'
import { allowNetworks } from './allow.ts'
import { executeNetworkStep } from './execute.ts'
import { seeNetworks, withStrays } from './probe.ts'

interface Found {
  /** What is kept under the destinations of the change. */
  readonly state: NetworkStates | null
}

export function networkSubject(kernel: Kernel): Subject<NetworkStates, Found, NetworkStep> {
  return {
    noun: 'network',
    canonical: (states) => canonicalOr(states, canonicalNetworks),
    probe: async (change) => {
      const destinations = changedDestinations(change)
      const found = destinations.length === 0 ? [] : await seeNetworks(kernel, destinations)
      const states = found.map(({ state }) => state)
      return { state: canonicalNetworks(networksOrNull(await withStrays(kernel, change.before ?? [], states))) }
    },
    plan: planNetworks,
    check: (change, wanted, found) => checkNetworks(changedDestinations(change), wanted, found),
    allow: ({ after }, { state }) => allowNetworks(kernel, state, after),
    // What there was, the host may have again.
    rehearse: async () => undefined,
    execute: (step) => executeNetworkStep(kernel, step),
    // The filters of links that are paths now, or are none any more.
    arrived: () =>
      kernel.answers
        .follow()
        .catch((error: unknown) =>
          log('warning', 'Arrivals by the paths are not let in', { detail: messageOf(error) }),
        ),
    remedy: () => [
      message('root.look', { commands: 'ip route show proto 84; ip -6 route show proto 84; ip address show dev lo' })
        .message,
      message('root.networks_again').message,
    ],
  }
}
