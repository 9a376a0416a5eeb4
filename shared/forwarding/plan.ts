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
  return [
    ...(found.saved && !wanted.saved ? [{ kind: 'sysctl_file_remove' as const }] : []),
    ...values.filter(({ value }) => value === always(value)),
    ...names.map((name) => ({ kind: 'forwarding_set' as const, name, is_on: wanted.live[name] })),
    ...values.filter(({ value }) => value !== always(value)),
    ...(wanted.saved && !sameState(found.saved, wanted.saved)
      ? [{ kind: 'sysctl_file_write' as const, saved: wanted.saved }]
      : []),
  ]
}

/** An interface that has come or gone meanwhile is none of the change. */
export function checkForwarding(wanted: HostForwarding, found: HostForwarding): Check[] {
  const both = Object.keys(wanted.accept_ra).filter((name) => found.accept_ra[name] !== undefined)
  return compareFacts('forwarding', facts(wanted, both), facts(found, both))
}

function facts({ live, saved, accept_ra }: HostForwarding, names: readonly string[]): Fact[] {
  return [
    ...switchFacts('', live),
    { name: 'saved', value: saved ? 'yes' : 'no' },
    ...(saved ? [...switchFacts('saved.', saved.switches), ...switchFacts('previous.', saved.previous)] : []),
    { name: 'accept_ra', value: names.map((name) => `${name} ${accept_ra[name]}`).join(', ') || 'none' },
    { name: 'saved.accept_ra', value: JSON.stringify(saved?.accept_ra ?? {}) },
  ]
}

const switchFacts = (prefix: string, switches: ForwardingSwitches): Fact[] =>
  SWITCHES.map((name) => ({ name: `${prefix}${name}`, value: switches[name] ? 'on' : 'off' }))

/** Turns on what is wanted, live and at boot; the values from before the first time are kept. Idempotent. */
export function withForwarding({ live, saved }: ForwardingState, wanted: readonly Switch[]): ForwardingState {
  const isOn = (name: Switch): boolean => saved?.switches[name] === true
  const isNew = (name: Switch): boolean => wanted.includes(name) && !isOn(name)
  return {
    live: switchesBy((name) => live[name] || wanted.includes(name)),
    saved: {
      switches: switchesBy((name) => isOn(name) || wanted.includes(name)),
      previous: switchesBy((name) => (saved && !isNew(name) ? saved.previous[name] : live[name])),
    },
  }
}

/**
 * Puts back what these were before, and takes our file away once it turns on nothing; what nothing was recorded of
 * stays as it is.
 */
export function withoutForwarding(
  { live, saved }: ForwardingState,
  names: readonly Switch[] = SWITCHES,
): ForwardingState {
  if (!saved) return { live, saved }
  const isPutBack = (name: Switch): boolean => saved.switches[name] && names.includes(name)
  const switches = switchesBy((name) => saved.switches[name] && !names.includes(name))
  return {
    live: switchesBy((name) => (isPutBack(name) ? saved.previous[name] : live[name])),
    saved: SWITCHES.some((name) => switches[name]) ? { switches, previous: saved.previous } : null,
  }
}
