// planForwarding: the switches of the running kernel and the file that sets them at boot. Pure.
import { SWITCHES, switchesBy, type ForwardingState, type ForwardingSwitches, type Switch } from './model.ts'
import { sameState } from '../change/change.ts'
import { compareFacts, type Check, type Fact } from '../change/check.ts'

export type ForwardingStep =
  | { readonly kind: 'forwarding_set'; readonly name: Switch; readonly is_on: boolean }
  | { readonly kind: 'sysctl_file_write'; readonly saved: SavedForwarding }
  | { readonly kind: 'sysctl_file_remove' }

export type SavedForwarding = NonNullable<ForwardingState['saved']>

/** What boot does is withdrawn before the switches are touched and promised after they are set, as with tunnels. */
export function planForwarding(found: ForwardingState, wanted: ForwardingState): readonly ForwardingStep[] {
  const names = SWITCHES.filter((name) => found.live[name] !== wanted.live[name])
  return [
    ...(found.saved && !wanted.saved ? [{ kind: 'sysctl_file_remove' as const }] : []),
    ...names.map((name) => ({ kind: 'forwarding_set' as const, name, is_on: wanted.live[name] })),
    ...(wanted.saved && !sameState(found.saved, wanted.saved)
      ? [{ kind: 'sysctl_file_write' as const, saved: wanted.saved }]
      : []),
  ]
}

export const checkForwarding = (wanted: ForwardingState, found: ForwardingState): Check[] =>
  compareFacts('forwarding', facts(wanted), facts(found))

function facts({ live, saved }: ForwardingState): Fact[] {
  return [
    ...switchFacts('', live),
    { name: 'saved', value: saved ? 'yes' : 'no' },
    ...(saved ? [...switchFacts('saved.', saved.switches), ...switchFacts('previous.', saved.previous)] : []),
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
