// What no address of a tunnel may be, and how much one may draw to itself. Pure.
import { contains, enclosingNetwork, formatCidr, networkSize, overlaps, type Cidr, type Ip } from '../address/ip.ts'
import {
  isIpv4InIpv6,
  isLinkLocal,
  isLoopback,
  isMulticast,
  isReserved,
  isUnspecified,
  NOT_FOR_HOSTS,
} from '../address/special.ts'

/** A tunnel joins two ends, and the sites behind them. Nothing shorter is one site's (RFC 6177 for IPv6). */
export const SHORTEST_PREFIX = { 4: 16, 6: 48 } as const

/** Null where an end of a tunnel can have it. */
export function whyNoTunnelAddress(ip: Ip): string | null {
  if (isUnspecified(ip) || isMulticast(ip) || isReserved(ip)) return 'is no address that one end can have'
  if (isLoopback(ip)) return 'is a loopback address'
  if (isLinkLocal(ip)) return 'is link-local: the kernel sees to such addresses itself'
  return isIpv4InIpv6(ip) ? 'is an IPv4 address in IPv6 clothes' : null
}

/** The same of a network that the routing table would send into it. */
export function whyNoTunnelNetwork(network: Cidr): string | null {
  const { family } = network.base
  if (network.prefix_length < SHORTEST_PREFIX[family])
    return `is wider than a /${SHORTEST_PREFIX[family]}, and would take the way to too many others`
  const special = NOT_FOR_HOSTS.find((one) => overlaps(one, network))
  return special ? `holds addresses of ${formatCidr(special)}, which no tunnel can carry` : null
}

/** The first and the last address of an IPv4 subnet, which are its network and broadcast addresses. */
export function isEdge(ip: Ip, prefix_length: number): boolean {
  if (ip.family === 6 || prefix_length > 30) return false
  const { base } = enclosingNetwork(ip, prefix_length)
  return ip.value === base.value || ip.value === base.value + networkSize({ base, prefix_length }) - 1n
}

/** An address that must stay reachable as it is, and in words what it is. */
export interface Kept {
  readonly ip: Ip
  readonly what: string
}

/** Where a network takes the way to such an address. */
export const keptIn = (network: Cidr, kept: readonly Kept[]): Kept | undefined =>
  kept.find(({ ip }) => contains(network, ip))
