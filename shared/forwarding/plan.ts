// planForwarding: the switches of the running kernel and the file that sets them at boot. Pure.
import type { ForwardingState, ForwardingSwitches } from './model.ts'
import { sameState } from '../change/change.ts'
import { compareFacts, type Check, type Fact } from '../change/check.ts'

export type ForwardingStep =
  | { readonly kind: 'forwarding_set'; readonly family: keyof ForwardingSwitches; readonly is_on: boolean }
  | { readonly kind: 'sysctl_file_write'; readonly saved: SavedForwarding }
  | { readonly kind: 'sysctl_file_remove' }

export type SavedForwarding = NonNullable<ForwardingState['saved']>

/** What boot does is withdrawn before the switches are touched and promised after they are set, as with tunnels. */
export function planForwarding(found: ForwardingState, wanted: ForwardingState): readonly ForwardingStep[] {
  const families = (['ipv4', 'ipv6'] as const).filter((family) => found.live[family] !== wanted.live[family])
  return [
    ...(found.saved && !wanted.saved ? [{ kind: 'sysctl_file_remove' as const }] : []),
    ...families.map((family) => ({ kind: 'forwarding_set' as const, family, is_on: wanted.live[family] })),
    ...(wanted.saved && !sameState(found.saved, wanted.saved)
      ? [{ kind: 'sysctl_file_write' as const, saved: wanted.saved }]
      : []),
  ]
}

export const checkForwarding = (wanted: ForwardingState, found: ForwardingState): Check[] =>
  compareFacts('forwarding', facts(wanted), facts(found))

function facts({ live, saved }: ForwardingState): Fact[] {
  return [
    { name: 'ipv4', value: onOff(live.ipv4) },
    { name: 'ipv6', value: onOff(live.ipv6) },
    { name: 'saved', value: saved ? 'yes' : 'no' },
    ...(saved ? [...switchFacts('saved', saved.switches), ...switchFacts('previous', saved.previous)] : []),
  ]
}

const onOff = (is_on: boolean): string => (is_on ? 'on' : 'off')
const switchFacts = (prefix: string, { ipv4, ipv6 }: ForwardingSwitches): Fact[] => [
  { name: `${prefix}.ipv4`, value: onOff(ipv4) },
  { name: `${prefix}.ipv6`, value: onOff(ipv6) },
]

/** Turns on what is wanted, live and at boot; the values from before the first time are kept. Idempotent. */
export function withForwarding(found: ForwardingState, wanted: ForwardingSwitches): ForwardingState {
  const either = (a: ForwardingSwitches, b: ForwardingSwitches): ForwardingSwitches => ({
    ipv4: a.ipv4 || b.ipv4,
    ipv6: a.ipv6 || b.ipv6,
  })
  const switches = either(found.saved?.switches ?? { ipv4: false, ipv6: false }, wanted)
  return { live: either(found.live, wanted), saved: { switches, previous: found.saved?.previous ?? found.live } }
}

/** Puts back what was set before, and takes our file away; what nothing was recorded of stays as it is. */
export const withoutForwarding = (found: ForwardingState): ForwardingState => ({
  live: found.saved
    ? {
        ipv4: found.saved.switches.ipv4 ? found.saved.previous.ipv4 : found.live.ipv4,
        ipv6: found.saved.switches.ipv6 ? found.saved.previous.ipv6 : found.live.ipv6,
      }
    : found.live,
  saved: null,
})
