// What is seen on a host and never wished for: the live side of a link, of the interfaces and of the routing table.
import { integer, nullable, strict, stringEnum, Type, type Static } from '../schema.ts'
import { CidrText, IpText, TunnelState } from './model.ts'

/** Foreign device names may hold what ours may not: anything but "/" and blanks (dev_valid_name in net/core/dev.c). */
export const DeviceName = Type.String({ pattern: '^[^\\s/]{1,15}$' })
const Word = Type.String({ pattern: '^[A-Za-z0-9_.:-]{0,64}$' })
const Count = Type.Integer({ minimum: 0 })

/** Totals since the link was made. Source: struct rtnl_link_stats64 in linux/if_link.h. */
export const LinkStatistics = strict({
  rx_bytes: Count,
  tx_bytes: Count,
  rx_packets: Count,
  tx_packets: Count,
  rx_errors: Count,
  tx_errors: Count,
  rx_dropped: Count,
  tx_dropped: Count,
})
export type LinkStatistics = Static<typeof LinkStatistics>

/** `oper_state` is the RFC 2863 word, upper case; `addresses` are CIDR strings, link-local ones included. */
export const ObservedLink = strict({
  kind: Word,
  index: Type.Integer({ minimum: 1 }),
  mtu: Count,
  is_up: Type.Boolean(),
  is_lower_up: Type.Boolean(),
  oper_state: stringEnum(['UNKNOWN', 'NOTPRESENT', 'DOWN', 'LOWERLAYERDOWN', 'TESTING', 'DORMANT', 'UP']),
  flags: Type.Array(Word),
  local_endpoint: Type.String({ pattern: '^([0-9a-f:.]{2,39})?$' }),
  remote_endpoint: Type.String({ pattern: '^([0-9a-f:.]{2,39})?$' }),
  addresses: Type.Array(CidrText),
  statistics: LinkStatistics,
})
export type ObservedLink = Static<typeof ObservedLink>

/** The same without counters, which cost a kernel with many processors most of a dump. */
export const LinkSnapshot = strict({
  interface_name: DeviceName,
  observed: Type.Omit(ObservedLink, ['statistics'], { additionalProperties: false }),
})
export type LinkSnapshot = Static<typeof LinkSnapshot>
export const withoutCounters = ({ statistics: _, ...snapshot }: ObservedLink): LinkSnapshot['observed'] => snapshot

/**
 * One name on the host. `state` is null where there is neither a tunnel link nor a file of ours; a link of another kind
 * appears only in `observed`. `unmodelled` names features of the link that a TunnelState cannot hold. `foreign_files`
 * have names of ours but were not written by us, or were edited since. `is_ours`: root may change the link and its
 * files, since the panel made or adopted it.
 */
export const TunnelFound = strict({
  interface_name: DeviceName,
  state: nullable(TunnelState),
  observed: nullable(ObservedLink),
  is_ours: Type.Boolean(),
  unmodelled: Type.Array(Type.String({ pattern: '^[\\x20-\\x7e]{1,80}$' })),
  foreign_files: Type.Array(Type.String({ pattern: '^[A-Za-z0-9_.-]{1,80}$' })),
})
export type TunnelFound = Static<typeof TunnelFound>

/**
 * `bridge`: the one that it is a port of, or "". `forwards_ipv4`: the kernel forwards IPv4 packets that come in by it.
 * `rp_filter`: what it does with those whose way back is another interface: 1 drops them, 2 drops those without a way
 * back. The greater one of its own setting and that of all interfaces, as the kernel takes it.
 */
export const HostInterface = strict({
  name: DeviceName,
  index: Type.Integer({ minimum: 1 }),
  mtu: Count,
  kind: Word,
  hardware_addr: Type.String({ pattern: '^([0-9a-f]{2}(:[0-9a-f]{2})*)?$' }),
  oper_state: ObservedLink.properties.oper_state,
  flags: Type.Array(Word),
  is_up: Type.Boolean(),
  is_lower_up: Type.Boolean(),
  addresses: Type.Array(CidrText),
  statistics: LinkStatistics,
  class: stringEnum(['physical', 'tunnel', 'loopback', 'other']),
  bridge: Type.String({ pattern: '^[^\\s/]{0,15}$' }),
  forwards_ipv4: Type.Boolean(),
  rp_filter: integer(0, 2),
})
export type HostInterface = Static<typeof HostInterface>

/** An entry of the kernel's routing table; `gateway`, `device` and `source` are "" where it has none. */
export const RoutingEntry = strict({
  destination: CidrText,
  gateway: Type.String({ pattern: '^([0-9a-f:.]{2,39})?$' }),
  device: Type.String({ pattern: '^[^\\s/]{0,15}$' }),
  is_default: Type.Boolean(),
  source: Type.String({ pattern: '^([0-9a-f:.]{2,39})?$' }),
  table: integer(0, 0xffff_ffff),
  protocol: Word,
  metric: integer(0, 0xffff_ffff),
  /** There, and true, where it has several next hops: `gateway` and `device` are those of the first. */
  has_several_hops: Type.Optional(Type.Literal(true)),
})
export type RoutingEntry = Static<typeof RoutingEntry>

/**
 * What the kernel does with a packet to an address: send it on ("unicast"), take it ("local"), neither ("other", such as
 * to a multicast group), or refuse or discard it ("none").
 */
export const ROUTE_KINDS = ['unicast', 'local', 'other', 'none'] as const
export type RouteKind = (typeof ROUTE_KINDS)[number]

/** The way of packets to an address; `route` is null unless they are sent on. */
export interface FoundRoute {
  readonly kind: RouteKind
  readonly route: RoutingEntry | null
}

export { CidrText, IpText }
