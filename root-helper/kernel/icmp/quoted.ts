// The echo request that an ICMP error quotes: as it was sent, or inside the GRE packet of a tunnel that carried it (RFC
// 792, RFC 4443, RFC 2784, RFC 2890).
import { ECHO_REQUEST, HEADER_BYTES, type Family } from './constants.ts'

/** An echo message, and where the packet that has it went to. */
export interface Quoted {
  readonly family: Family
  readonly message: Buffer
  readonly target: Buffer
  /** Bytes of headers around the quoted packet: 0 where it was quoted as it was sent. */
  readonly wrapping: number
}

const IPV4_HEADER = 20
const IPV6_HEADER = 40
const ICMP = { 4: 1, 6: 58 } as const
const FRAGMENT = 44
const FRAGMENT_HEADER = 8
const DESTINATION_OPTIONS = 60
const GRE = 47
/** Each flag in the first word of GRE adds four bytes: checksum, key, sequence. */
const GRE_FLAGS = [0x8000, 0x2000, 0x1000]
const GRE_HEADER = 4
/** Routing, recursion and the version, which our tunnels never use. */
const GRE_FOREIGN = 0x4fff
const ETHERNET_HEADER = 14
const ETHERTYPES: Readonly<Record<number, Family>> = { 0x0800: 4, 0x86dd: 6 }
const ETHERNET = 0x6558

interface Carried {
  readonly protocol: number
  readonly payload: Buffer
  readonly target: Buffer
}

/** Null where it quotes something else, or too little of it. */
export function quotedEcho(family: Family, packet: Buffer): Quoted | null {
  const outer = carriedBy(family, packet)
  if (!outer) return null
  if (outer.protocol !== GRE) return echoIn(family, outer, 0)
  const inner = unwrapped(outer.payload)
  const carried = inner && carriedBy(inner.family, inner.packet)
  return inner && carried && echoIn(inner.family, carried, packet.length - inner.packet.length)
}

function echoIn(family: Family, { protocol, payload: message, target }: Carried, wrapping: number): Quoted | null {
  const isEcho = protocol === ICMP[family] && message.length >= HEADER_BYTES && message[0] === ECHO_REQUEST[family]
  return isEcho ? { family, message, target, wrapping } : null
}

/** Returns what a packet carries; the first fragment stands for a fragmented packet. */
export const carriedBy = (family: Family, packet: Buffer): Carried | null =>
  family === 4 ? carriedByIpv4(packet) : carriedByIpv6(packet)

function carriedByIpv4(packet: Buffer): Carried | null {
  const [first = 0] = packet
  const length = (first & 0x0f) * 4
  if (first >> 4 !== 4 || length < IPV4_HEADER || packet.length < length || (packet.readUInt16BE(6) & 0x1fff) !== 0)
    return null
  return { protocol: packet[9] ?? 0, payload: packet.subarray(length), target: packet.subarray(16, 20) }
}

/** A tunnel over IPv6 states its encapsulation limit in destination options (RFC 2473). */
function carriedByIpv6(packet: Buffer): Carried | null {
  if (packet.length < IPV6_HEADER || (packet[0] ?? 0) >> 4 !== 6) return null
  const [target, rest, next] = [packet.subarray(24, 40), packet.subarray(IPV6_HEADER), packet[6] ?? 0]
  if (next === DESTINATION_OPTIONS)
    return { protocol: rest[0] ?? 0, payload: rest.subarray(((rest[1] ?? 0) + 1) * 8), target }
  if (next !== FRAGMENT) return { protocol: next, payload: rest, target }
  const isFirst = rest.length >= FRAGMENT_HEADER && (rest.readUInt16BE(2) & 0xfff8) === 0
  return isFirst ? { protocol: rest[0] ?? 0, payload: rest.subarray(FRAGMENT_HEADER), target } : null
}

function unwrapped(gre: Buffer): { family: Family; packet: Buffer } | null {
  if (gre.length < GRE_HEADER) return null
  const flags = gre.readUInt16BE(0)
  if ((flags & GRE_FOREIGN) !== 0) return null
  const length = GRE_HEADER + 4 * GRE_FLAGS.filter((flag) => (flags & flag) !== 0).length
  const isEthernet = gre.readUInt16BE(2) === ETHERNET
  if (isEthernet && gre.length < length + ETHERNET_HEADER) return null
  const family = ETHERTYPES[isEthernet ? gre.readUInt16BE(length + ETHERNET_HEADER - 2) : gre.readUInt16BE(2)]
  return family === undefined ? null : { family, packet: gre.subarray(length + (isEthernet ? ETHERNET_HEADER : 0)) }
}
