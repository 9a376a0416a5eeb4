// The kernel's switches that relaying needs or is seen by, how many connections it tracks at most, and the file of ours
// that sets them at boot.
import { integer, line, nullable, strict, stringEnum, Type, U32_MAX, type Static } from '../schema.ts'

/** The sysctls that root turns on; beside them it sets CONNTRACK_MAX_KEY, and no others. */
export const SYSCTL_KEYS = {
  ipv4: 'net.ipv4.ip_forward',
  ipv6: 'net.ipv6.conf.all.forwarding',
  conntrack_acct: 'net.netfilter.nf_conntrack_acct',
  conntrack_timestamp: 'net.netfilter.nf_conntrack_timestamp',
} as const
export type Switch = keyof typeof SYSCTL_KEYS
export const SWITCHES = Object.keys(SYSCTL_KEYS) as Switch[]

export const CONNTRACK_MAX_KEY = 'net.netfilter.nf_conntrack_max'
/** The most on any host; what one allows depends on its memory (size.ts). */
export const CONNTRACK_MAX_MOST = 16_777_216

/** What forwards packets, and what makes connection tracking count the bytes and the age of each connection. */
export const FORWARDING: readonly Switch[] = ['ipv4', 'ipv6']
export const CONNECTION_DETAILS: readonly Switch[] = ['conntrack_acct', 'conntrack_timestamp']

/** The value of accept_ra by which the kernel takes router advertisements although it forwards. */
export const ACCEPT_ALWAYS = 2

export const ForwardingSwitches = strict({
  ipv4: Type.Boolean(),
  ipv6: Type.Boolean(),
  conntrack_acct: Type.Boolean(),
  conntrack_timestamp: Type.Boolean(),
})
export type ForwardingSwitches = Static<typeof ForwardingSwitches>

export const switchesBy = (of: (name: Switch) => boolean): ForwardingSwitches =>
  Object.fromEntries(SWITCHES.map((name) => [name, of(name)])) as ForwardingSwitches

/** The kernel's own can be 0, which is no limit. */
const Entries = integer(0, U32_MAX)

/** `previous`: the value from before the panel first set one, which a revert restores. */
export const SavedSize = strict({ value: integer(1, CONNTRACK_MAX_MOST), previous: Entries })
export type SavedSize = Static<typeof SavedSize>

/**
 * `conntrack_max` null: connection tracking is not loaded, or, beside `switches`, the file does not set it. `saved` null: no file of ours. Its `switches` are those that the file turns on (a false one is not in the file, and
 * boot sets it as other software says); `previous` holds the values from before the panel first turned each on, which a
 * revert restores.
 */
export const ForwardingState = strict({
  live: ForwardingSwitches,
  conntrack_max: nullable(Entries),
  saved: Type.Union([
    Type.Null(),
    strict({ switches: ForwardingSwitches, previous: ForwardingSwitches, conntrack_max: nullable(SavedSize) }),
  ]),
})
export type ForwardingState = Static<typeof ForwardingState>

/**
 * An interface that has its IPv6 from router advertisements which the kernel takes by itself, or had when the panel
 * turned IPv6 forwarding on. `accept_ra` 1: only while the host does not forward; 2: always; null: it is not there now.
 * `previous`: the value before, by our file; null where the file does not name it. `is_settable`: root can write the value, live and at boot.
 */
export const AdvertisedInterface = strict({
  interface_name: Type.String({ pattern: '^[^\\s/]{1,15}$' }),
  accept_ra: nullable(integer(0, ACCEPT_ALWAYS)),
  previous: nullable(integer(0, ACCEPT_ALWAYS)),
  is_settable: Type.Boolean(),
})
export type AdvertisedInterface = Static<typeof AdvertisedInterface>

/**
 * `missing`: switches that this kernel does not have, or not yet: those of connection tracking come with it. A foreign
 * file has the name of ours and was not written by us, or was edited since. `conntrack` null: not loaded. `most`: what
 * may be set of `conntrack_max`; null where root cannot set it.
 */
export const ForwardingFound = strict({
  state: ForwardingState,
  advertised: Type.Array(AdvertisedInterface),
  missing: Type.Array(stringEnum(SWITCHES)),
  is_foreign_file: Type.Boolean(),
  sysctl_path: line(4200),
  conntrack: nullable(strict({ count: Type.Integer({ minimum: 0 }), most: nullable(Entries) })),
})
export type ForwardingFound = Static<typeof ForwardingFound>

/** A value of accept_ra for each interface. */
export type AcceptRa = Readonly<Record<string, number>>

export interface SavedSwitches {
  readonly switches: ForwardingSwitches
  readonly previous: ForwardingSwitches
  readonly conntrack_max: SavedSize | null
  /** Interfaces that the file sets to 2, with the values from before the panel first did so. */
  readonly accept_ra: AcceptRa
}
