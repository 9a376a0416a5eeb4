// Arbitrary networks for property tests: canonical, and drawn so that two of them often differ in one thing only.
import fc from 'fast-check'
import { canonicalNetworks } from '@panel/shared/network/canonical.ts'
import type { NetworkState, NetworkStates } from '@panel/shared/network/model.ts'

export const PATH_NAMES = ['gre-a-1', 'gre-a-2', 'gre-a-3'] as const
const PLACES = {
  4: {
    destinations: ['10.50.0.0/16', '10.51.0.0/24', '10.51.0.0/25', '198.51.100.7/32'],
    own: ['10.66.0.1', '10.66.0.2', '192.0.2.129'],
  },
  6: { destinations: ['fd50::/48', 'fd51::/64', 'fd51::7/128'], own: ['fd66::1', 'fd66::2', '2001:db8:66::1'] },
} as const

const ofFamily = (family: 4 | 6): fc.Arbitrary<NetworkState> =>
  fc.record({
    destination: fc.constantFrom(...PLACES[family].destinations),
    metric: fc.constantFrom(1, 50, 0xffff_ffff),
    source: fc.constant(null),
    paths: fc.uniqueArray(
      fc.record({ interface_name: fc.constantFrom(...PATH_NAMES), weight: fc.constantFrom(0, 1, 2, 255) }),
      { minLength: 1, selector: ({ interface_name }) => interface_name },
    ),
    own_addresses: fc.uniqueArray(fc.constantFrom(...PLACES[family].own)),
    lacks: fc.constant([]),
  })

/** One of its own addresses is the source of every other. */
const sourced = (states: readonly NetworkState[], isSourced: boolean): NetworkState[] =>
  states.map((state) => ({ ...state, source: (isSourced && state.own_addresses[0]) || null }))

/** An own address belongs to one network alone. */
const apart = (states: readonly NetworkState[]): NetworkState[] => {
  const taken = new Set<string>()
  return states.map((state) => ({
    ...state,
    own_addresses: state.own_addresses.filter((address) => !taken.has(address) && taken.add(address)),
  }))
}

export const networkState: fc.Arbitrary<NetworkState> = fc.oneof(ofFamily(4), ofFamily(6))

export const networkStates: fc.Arbitrary<NetworkStates | null> = fc
  .tuple(fc.uniqueArray(networkState, { maxLength: 4, selector: ({ destination }) => destination }), fc.boolean())
  .map(([states, isSourced]) => canonicalNetworks(sourced(apart(states), isSourced)))
