// What no address of a tunnel may be, and how much one may draw to itself. Pure.
import { message, type Message } from '../messages/message.ts'
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

/** Null where an end of a tunnel can have it; else the rest of a sentence that begins with the address. */
export function whyNoTunnelAddress(ip: Ip): Message | null {
  if (isUnspecified(ip) || isMulticast(ip) || isReserved(ip)) return message('tunnel.address_of_nobody')
  if (isLoopback(ip)) return message('tunnel.address_loopback')
  if (isLinkLocal(ip)) return message('tunnel.address_link_local')
  return isIpv4InIpv6(ip) ? message('tunnel.address_mapped') : null
}

/** The same of a network that the routing table would send into it. */
export function whyNoTunnelNetwork(network: Cidr): Message | null {
  const { family } = network.base
  if (network.prefix_length < SHORTEST_PREFIX[family])
    return message('tunnel.network_too_wide', { prefix_length: SHORTEST_PREFIX[family] })
  const special = NOT_FOR_HOSTS.find((one) => overlaps(one, network))
  return special ? message('tunnel.network_special', { network: formatCidr(special) }) : null
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
  readonly what: Message
}

/** The address, kept free, whose way a network takes. */
export const keptIn = (network: Cidr, kept: readonly Kept[]): Kept | undefined =>
  kept.find(({ ip }) => contains(network, ip))
