// planForwarding: the switches of the running kernel and the file that sets them at boot. Pure.
import { always, type HostForwarding } from './host.ts'
import {
  SWITCHES,
  switchesBy,
  type ForwardingState,
  type ForwardingSwitches,
  type SavedSwitches,
  type Switch,
} from './model.ts'
import { sameState } from '../change/change.ts'
import { compareFacts, type Check, type Fact } from '../change/check.ts'

export type ForwardingStep =
  | { readonly kind: 'accept_ra_set'; readonly interface_name: string; readonly value: number }
  | { readonly kind: 'forwarding_set'; readonly name: Switch; readonly is_on: boolean }
  | { readonly kind: 'conntrack_max_set'; readonly value: number }
  | { readonly kind: 'sysctl_file_write'; readonly saved: SavedSwitches }
  | { readonly kind: 'sysctl_file_remove' }

/**
 * What boot does is withdrawn before the switches are touched and promised after they are set, as with tunnels. What
 * keeps the routes of router advertisements is set before IPv6 is forwarded, whatever is wanted otherwise, and put back
 * after it.
 */
export function planForwarding(found: HostForwarding, wanted: HostForwarding): readonly ForwardingStep[] {
  const names = SWITCHES.filter((name) => found.live[name] !== wanted.live[name])
  const turnsOn = names.includes('ipv6') && wanted.live.ipv6
  const values = Object.entries(found.accept_ra).flatMap(([interface_name, value]) => {
    const isRecorded = wanted.saved?.accept_ra[interface_name] !== undefined
    const before = isRecorded ? undefined : found.saved?.accept_ra[interface_name]
    const stated = wanted.accept_ra[interface_name] ?? before ?? value
    const next = turnsOn && value > 0 ? always(value) : stated
    return next === value ? [] : [{ kind: 'accept_ra_set' as const, interface_name, value: next }]
  })
  const size = sizeFor(found, wanted)
  return [
    ...(found.saved && !wanted.saved ? [{ kind: 'sysctl_file_remove' as const }] : []),
    ...values.filter(({ value }) => value === always(value)),
    ...names.map((name) => ({ kind: 'forwarding_set' as const, name, is_on: wanted.live[name] })),
    ...values.filter(({ value }) => value !== always(value)),
    ...(size === null || size === found.conntrack_max ? [] : [{ kind: 'conntrack_max_set' as const, value: size }]),
    ...(wanted.saved && !sameState(found.saved, wanted.saved)
      ? [{ kind: 'sysctl_file_write' as const, saved: wanted.saved }]
      : []),
  ]
}

/**
 * Null where connection tracking is not loaded. A state from before it was says of no value: then what our file sets
 * and is to set no more goes back to what it was.
 */
function sizeFor(found: HostForwarding, wanted: HostForwarding): number | null {
  if (found.conntrack_max === null) return null
  const before = wanted.saved?.conntrack_max ? undefined : found.saved?.conntrack_max?.previous
  return wanted.conntrack_max ?? before ?? found.conntrack_max
}

/** An interface that has come or gone meanwhile is none of the change, and connection tracking neither. */
export function checkForwarding(wanted: HostForwarding, found: HostForwarding): Check[] {
  const both = Object.keys(wanted.accept_ra).filter((name) => found.accept_ra[name] !== undefined)
  const isTracking = wanted.conntrack_max !== null && found.conntrack_max !== null
  return compareFacts('forwarding', facts(wanted, both, isTracking), facts(found, both, isTracking))
}

function facts(state: HostForwarding, names: readonly string[], isTracking: boolean): Fact[] {
  const { live, conntrack_max, saved, accept_ra } = state
  return [
    ...switchFacts('', live),
    { name: 'saved', value: saved ? 'yes' : 'no' },
    ...(saved ? [...switchFacts('saved.', saved.switches), ...switchFacts('previous.', saved.previous)] : []),
    { name: 'accept_ra', value: names.map((name) => `${name} ${accept_ra[name]}`).join(', ') || 'none' },
    { name: 'saved.accept_ra', value: JSON.stringify(saved?.accept_ra ?? {}) },
    ...(isTracking ? [{ name: 'conntrack_max', value: `${conntrack_max}` }] : []),
    { name: 'saved.conntrack_max', value: JSON.stringify(saved?.conntrack_max ?? null) },
  ]
}

const switchFacts = (prefix: string, switches: ForwardingSwitches): Fact[] =>
  SWITCHES.map((name) => ({ name: `${prefix}${name}`, value: switches[name] ? 'on' : 'off' }))

/** Turns on what is wanted, live and at boot; the values from before the first time are kept. Idempotent. */
export function withForwarding(state: ForwardingState, wanted: readonly Switch[]): ForwardingState {
  const { live, conntrack_max, saved } = state
  const isOn = (name: Switch): boolean => saved?.switches[name] === true
  const isNew = (name: Switch): boolean => wanted.includes(name) && !isOn(name)
  return {
    live: switchesBy((name) => live[name] || wanted.includes(name)),
    conntrack_max,
    saved: {
      switches: switchesBy((name) => isOn(name) || wanted.includes(name)),
      previous: switchesBy((name) => (saved && !isNew(name) ? saved.previous[name] : live[name])),
      conntrack_max: saved?.conntrack_max ?? null,
    },
  }
}

/**
 * Puts back what these were before, and takes our file away once it sets nothing; what nothing was recorded of stays as
 * it is.
 */
export function withoutForwarding(
  state: ForwardingState,
  names: readonly (Switch | 'conntrack_max')[] = [...SWITCHES, 'conntrack_max'],
): ForwardingState {
  const { live, conntrack_max, saved } = state
  if (!saved) return state
  const isPutBack = (name: Switch): boolean => saved.switches[name] && names.includes(name)
  const switches = switchesBy((name) => saved.switches[name] && !names.includes(name))
  const isSizeBack = names.includes('conntrack_max')
  const size = isSizeBack ? null : saved.conntrack_max
  const before = isSizeBack && conntrack_max !== null ? saved.conntrack_max?.previous : undefined
  return {
    live: switchesBy((name) => (isPutBack(name) ? saved.previous[name] : live[name])),
    conntrack_max: before ?? conntrack_max,
    saved:
      size || SWITCHES.some((name) => switches[name])
        ? { switches, previous: saved.previous, conntrack_max: size }
        : null,
  }
}
