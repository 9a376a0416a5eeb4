// One spelling for each network, so that two descriptions of the same host compare equal as text.
import { canonicalIp, compareIp, formatCidr, parseCidr, parseIp, type Family } from '../address/ip.ts'
import type { Change } from '../change/change.ts'
import type { NetworkPath, NetworkState, NetworkStates } from './model.ts'

export const networksOrNull = (states: NetworkStates): NetworkStates | null => (states.length === 0 ? null : states)

/** Throws a RangeError where it is no network, or two are to one destination. */
export function canonicalNetworks(states: NetworkStates | null): NetworkStates | null {
  const all = (states ?? []).map(canonicalNetwork)
  return networksOrNull([...distinct(all, ({ destination }) => destination)].sort(byDestination))
}

/** Throws a RangeError where it is no network. */
export function canonicalNetwork({ metric, source, ...state }: NetworkState): NetworkState {
  const cidr = parseCidr(state.destination)
  if (!cidr) throw new RangeError(`${state.destination} is not a network`)
  const { family } = cidr.base
  const own = state.own_addresses.map((address) => ofFamily(address, family))
  return {
    destination: formatCidr(cidr),
    metric,
    source: source === null ? null : ofFamily(source, family),
    paths: canonicalPaths(state.paths),
    own_addresses: [...distinct(own, (address) => address)].sort(byAddress),
    lacks: [...new Set(state.lacks)].sort(),
  }
}

/** A path that carries alone carries all: the kernel keeps no weight of it. */
function canonicalPaths(paths: readonly NetworkPath[]): NetworkPath[] {
  const isAlone = carrying(paths).length === 1
  return distinct(paths, ({ interface_name }) => interface_name)
    .map(({ interface_name, weight }) => ({ interface_name, weight: isAlone ? Math.min(weight, 1) : weight }))
    .sort((a, b) => (a.interface_name < b.interface_name ? -1 : 1))
}

export const carrying = <P extends Pick<NetworkPath, 'weight'>>(paths: readonly P[]): P[] =>
  paths.filter(({ weight }) => weight > 0)

/** A state is never gone back to with something missing: whatever leads there puts it in. */
export const wishedNetworks = (states: NetworkStates | null): NetworkStates => (states ?? []).map(whole)

export const whole = (state: NetworkState): NetworkState => ({ ...state, lacks: [] })

export const changedDestinations = ({ before, after }: Change<NetworkStates>): string[] => [
  ...new Set([...(before ?? []), ...(after ?? [])].map(({ destination }) => destination)),
]

export const familyOf = ({ destination }: Pick<NetworkState, 'destination'>): Family =>
  destination.includes(':') ? 6 : 4

function ofFamily(text: string, family: Family): string {
  if (parseIp(text)?.family !== family) throw new RangeError(`${text} is not an address of IPv${family}`)
  return canonicalIp(text)
}

function distinct<T>(all: readonly T[], keyOf: (one: T) => string): readonly T[] {
  const keys = all.map(keyOf)
  const twice = keys.find((key, at) => keys.indexOf(key) < at)
  if (twice !== undefined) throw new RangeError(`${twice} is given twice`)
  return all
}

/** Both are addresses of one family. */
function byAddress(a: string, b: string): number {
  const [left, right] = [parseIp(a), parseIp(b)]
  return left && right ? compareIp(left, right) : 0
}

/** The text of a network is no order of its own, but one that never changes. */
const byDestination = (a: NetworkState, b: NetworkState): number => (a.destination < b.destination ? -1 : 1)
