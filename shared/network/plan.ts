// planNetworks: from the networks that are found to those that are wanted, and the checks of whether they are. Pure.
import { sameState } from '../change/change.ts'
import { compareFacts, type Check, type Fact } from '../change/check.ts'
import { carrying, whole, wishedNetworks } from './canonical.ts'
import type { NetworkPath, NetworkState, NetworkStates } from './model.ts'

/** The closed list of what can be done to a host for networks; root executes these and nothing else. */
export type NetworkStep =
  | { readonly kind: 'network_keep'; readonly states: NetworkStates }
  | { readonly kind: 'network_forget'; readonly destination: string }
  | { readonly kind: 'network_route_set'; readonly states: NetworkStates }
  | { readonly kind: 'network_route_remove'; readonly destination: string }
  | { readonly kind: 'own_address_add'; readonly address: string }
  | { readonly kind: 'own_address_remove'; readonly address: string }
  | { readonly kind: 'network_answers'; readonly addresses: readonly string[]; readonly is_on: boolean }

/**
 * Both are canonical. What is wanted is kept before it is put in, and forgotten when it is gone, so that all that a
 * helper leaves that is stopped in between is in its record. An address is there before a route has it as its source.
 */
export function planNetworks(found: NetworkStates | null, states: NetworkStates | null): readonly NetworkStep[] {
  const wanted = wishedNetworks(states)
  const at = (all: NetworkStates | null, { destination }: NetworkState): NetworkState | undefined =>
    all?.find((one) => one.destination === destination)
  const changed = wanted.filter((state) => !sameState(at(found, state), state))
  const kept = changed.filter((state) => !sameState(keptOf(at(found, state)), state))
  const routed = changed.filter((state) => isCarried(state) && !isRouted(at(found, state), state))
  const leaving = (found ?? []).filter((state) => !at(wanted, state))
  const unrouted = (found ?? []).filter((state) => isAnyRoute(state) && !isCarried(at(wanted, state)))
  const [there, due] = [addressesThere(found), ownAddresses(wanted)]
  return [
    ...unrouted.map(({ destination }) => ({ kind: 'network_route_remove' as const, destination })),
    ...(kept.length === 0 ? [] : [{ kind: 'network_keep' as const, states: kept }]),
    ...without(due, there).map((address) => ({ kind: 'own_address_add' as const, address })),
    ...(routed.length === 0 ? [] : [{ kind: 'network_route_set' as const, states: routed }]),
    ...without(there, due).map((address) => ({ kind: 'own_address_remove' as const, address })),
    ...leaving.map(({ destination }) => ({ kind: 'network_forget' as const, destination })),
    ...answersSteps([...leaving, ...changed.flatMap((state) => at(found, state) ?? [])], changed),
  ]
}

/** `had` is what changes or goes. */
function answersSteps(had: NetworkStates, changed: NetworkStates): NetworkStep[] {
  const due = ownAddresses(changed)
  const addresses = due.length > 0 ? due : ownAddresses(had)
  return addresses.length === 0 ? [] : [{ kind: 'network_answers', addresses, is_on: due.length > 0 }]
}

const isCarried = (state: NetworkState | undefined): boolean => carrying(state?.paths ?? []).length > 0
const isAnyRoute = (state: NetworkState): boolean => isCarried(state) || state.lacks.includes('route')
const keptOf = (state: NetworkState | undefined) => state && whole(state)

function isRouted(found: NetworkState | undefined, wanted: NetworkState): boolean {
  const isWhole = found?.paths.every(({ interface_name }) => !found.lacks.includes(interface_name)) ?? false
  return isWhole && !found?.lacks.includes('route') && sameState(found && routeOf(found), routeOf(wanted))
}

/** What the route of the kernel is made of. */
const routeOf = ({ metric, source, paths }: NetworkState) => ({ metric, source, paths: carrying(paths) })

const ownAddresses = (states: NetworkStates | null): string[] => [
  ...new Set((states ?? []).flatMap(({ own_addresses }) => own_addresses)),
]
const addressesThere = (states: NetworkStates | null): string[] =>
  (states ?? []).flatMap(({ own_addresses, lacks }) => without(own_addresses, lacks))
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

function networkFacts(state: NetworkState | null): Fact[] {
  if (!state) return [{ name: 'exists', value: 'no' }]
  const { metric, source, paths, own_addresses, lacks } = state
  return [
    { name: 'exists', value: 'yes' },
    { name: 'metric', value: `${metric}` },
    { name: 'source', value: source ?? 'none' },
    { name: 'paths', value: paths.map(formatPath).join(', ') },
    { name: 'own_addresses', value: own_addresses.join(', ') || 'none' },
    { name: 'lacks', value: lacks.join(', ') || 'none' },
  ]
}

const formatPath = ({ interface_name, weight }: NetworkPath): string =>
  weight === 0 ? `${interface_name} out` : `${interface_name} weight ${weight}`
