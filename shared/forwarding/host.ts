// The switches with what turning IPv6 forwarding on would take from the host: routes that came by router advertisement.
// The kernel drops their default routes in that moment and takes no more of them, unless accept_ra is 2. Pure.
import { message, type Message } from '../messages/message.ts'
import {
  ACCEPT_ALWAYS,
  type AcceptRa,
  type AdvertisedInterface,
  type ForwardingFound,
  type ForwardingState,
  type ForwardingSwitches,
  type SavedSwitches,
} from './model.ts'
import { acceptRaKey, isPlainName } from './sysctl.ts'

/** Root's own state: the names of interfaces are never sent to it. */
export interface HostForwarding {
  readonly live: ForwardingSwitches
  readonly conntrack_max: number | null
  readonly saved: SavedSwitches | null
  /** Those that have their IPv6 from router advertisements, and those that our file names. */
  readonly accept_ra: AcceptRa
}

const valuesOf = (
  advertised: readonly AdvertisedInterface[],
  of: (one: AdvertisedInterface) => number | null,
): AcceptRa =>
  Object.fromEntries(
    advertised.flatMap((one) => {
      const value = of(one)
      return value === null ? [] : [[one.interface_name, value]]
    }),
  )

/** The switches as a caller states them, on a host of which the rest is as it was found. */
export function onHost(
  { live, conntrack_max, saved }: ForwardingState,
  { advertised }: Pick<ForwardingFound, 'advertised'>,
): HostForwarding {
  return {
    live,
    conntrack_max,
    saved: saved && { ...saved, accept_ra: valuesOf(advertised, ({ previous }) => previous) },
    accept_ra: valuesOf(advertised, ({ accept_ra }) => accept_ra),
  }
}

/** What `wanted` comes to on that host: what it has by router advertisement stays, and a revert puts back what was. */
export function keepingAdvertised(before: HostForwarding, after: ForwardingState): HostForwarding {
  const { live, conntrack_max, saved } = after
  const [was, is] = [before.saved?.switches.ipv6 === true, saved?.switches.ipv6 === true]
  const recorded = before.saved?.accept_ra ?? {}
  if (was && !is)
    return {
      live,
      conntrack_max,
      saved: saved && { ...saved, accept_ra: {} },
      accept_ra: mapValues(before.accept_ra, (value, name) => recorded[name] ?? value),
    }
  const isTurnedOn = (is && !was) || (live.ipv6 && !before.live.ipv6)
  const taking = Object.fromEntries(
    Object.entries(before.accept_ra).filter(([name, value]) => value > 0 && isPlainName(name)),
  )
  return {
    live,
    conntrack_max,
    saved: saved && { ...saved, accept_ra: isTurnedOn && is ? { ...taking, ...recorded } : recorded },
    accept_ra: isTurnedOn ? mapValues(before.accept_ra, always) : before.accept_ra,
  }
}

/** 0 is left: another program, such as systemd-networkd, takes the advertisements itself. */
export const always = (value: number): number => (value > 0 ? ACCEPT_ALWAYS : value)

const mapValues = (values: AcceptRa, to: (value: number, name: string) => number): AcceptRa =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value, name)]))

/** Interfaces that would lose their IPv6, since root cannot write there what keeps it. */
export const losing = ({ advertised, state }: ForwardingFound): string[] =>
  state.live.ipv6
    ? []
    : advertised
        .filter(({ accept_ra, is_settable }) => accept_ra === 1 && !is_settable)
        .map((one) => one.interface_name)

/** The sentence with the lines to run, after which nothing is left to lose. */
export const wouldLose = (names: readonly string[]): Message =>
  message('root.would_lose_ipv6', {
    names: names.join(', '),
    commands: names.map((name) => `sysctl -w ${quoted(`${acceptRaKey(name)}=${ACCEPT_ALWAYS}`)}`).join('; '),
  })

const quoted = (text: string): string => (/^[\w./@:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
