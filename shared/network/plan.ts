// planNetworks: from the networks that are found to those that are wanted, and the checks of whether they are. Pure.
import { sameState } from '../change/change.ts'
import { compareFacts, type Check, type Fact } from '../change/check.ts'
import { carrying, wishedNetworks } from './canonical.ts'
import type { NetworkPath, NetworkState, NetworkStates } from './model.ts'

/** The closed list of what can be done to a host for networks; root executes these and nothing else. */
export type NetworkStep =
  | { readonly kind: 'network_keep'; readonly state: NetworkState }
  | { readonly kind: 'network_forget'; readonly destination: string }
  | { readonly kind: 'network_route_set'; readonly state: NetworkState }
  | { readonly kind: 'network_route_remove'; readonly destination: string }
  | { readonly kind: 'own_address_add'; readonly address: string }
  | { readonly kind: 'own_address_remove'; readonly address: string }
  | { readonly kind: 'network_answers'; readonly addresses: readonly string[]; readonly is_on: boolean }

/**
 * Both are canonical. An address is there before a route has it as its source, and goes after it; what is on the host is
 * kept as known for as long, so that a helper that is stopped in between knows it as its own.
 */
export function planNetworks(found: NetworkStates | null, states: NetworkStates | null): readonly NetworkStep[] {
  const wanted = wishedNetworks(states)
  const at = (all: NetworkStates | null, { destination }: NetworkState): NetworkState | undefined =>
    all?.find((one) => one.destination === destination)
  const changed = wanted.filter((state) => !sameState(at(found, state), state))
  const routed = changed.filter((state) => isCarried(state) && !sameState(routeOf(at(found, state)), routeOf(state)))
  const leaving = (found ?? []).filter((state) => !at(wanted, state))
  const unrouted = (found ?? []).filter((state) => isCarried(state) && !isCarried(at(wanted, state)))
  const [there, due] = [ownAddresses(found), ownAddresses(wanted)]
  return [
    ...unrouted.map(({ destination }) => ({ kind: 'network_route_remove' as const, destination })),
    ...changed.map((state) => ({ kind: 'network_keep' as const, state })),
    ...without(due, there).map((address) => ({ kind: 'own_address_add' as const, address })),
    ...routed.map((state) => ({ kind: 'network_route_set' as const, state })),
    ...without(there, due).map((address) => ({ kind: 'own_address_remove' as const, address })),
    ...leaving.map(({ destination }) => ({ kind: 'network_forget' as const, destination })),
    ...answersSteps(ownAddresses([...leaving, ...changed.flatMap((state) => at(found, state) ?? [])]), changed),
  ]
}

/** `had`: addresses of what changes or goes. */
function answersSteps(had: readonly string[], changed: NetworkStates): NetworkStep[] {
  const due = ownAddresses(changed)
  const addresses = due.length > 0 ? due : had
  return addresses.length === 0 ? [] : [{ kind: 'network_answers', addresses, is_on: due.length > 0 }]
}

const isCarried = (state: NetworkState | undefined): boolean => carrying(state?.paths ?? []).length > 0

/** What the route of the kernel is made of. */
const routeOf = (state: NetworkState | undefined) =>
  state && { metric: state.metric, source: state.source, paths: carrying(state.paths) }

const ownAddresses = (states: NetworkStates | null): string[] => [
  ...new Set((states ?? []).flatMap(({ own_addresses }) => own_addresses)),
]
const without = (all: readonly string[], taken: readonly string[]): string[] =>
  all.filter((one) => !taken.includes(one))

/** Passes wholly on a host that holds `states` under the destinations, and on no other. Both are canonical. */
export function checkNetworks(
  destinations: readonly string[],
  states: NetworkStates | null,
  found: NetworkStates | null,
): Check[] {
  const under = (all: NetworkStates | null, destination: string): NetworkState | null =>
    all?.find((one) => one.destination === destination) ?? null
  const wanted = wishedNetworks(states)
  return destinations.flatMap((destination) =>
    compareFacts(destination, networkFacts(under(wanted, destination)), networkFacts(under(found, destination))),
  )
}

export function networkFacts(state: NetworkState | null): Fact[] {
  if (!state) return [{ name: 'exists', value: 'no' }]
  return [
    { name: 'exists', value: 'yes' },
    { name: 'metric', value: `${state.metric}` },
    { name: 'source', value: state.source ?? 'none' },
    { name: 'paths', value: state.paths.map(formatPath).join(', ') },
    { name: 'own_addresses', value: state.own_addresses.join(', ') || 'none' },
    { name: 'is_answered', value: state.is_answered ? 'yes' : 'in part' },
  ]
}

export const formatPath = ({ interface_name, weight }: NetworkPath): string =>
  weight === 0 ? `${interface_name} out` : `${interface_name} weight ${weight}`
