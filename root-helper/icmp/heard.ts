// What came by ICMP, as far as it answers an echo request: anybody can send such bytes, so nothing in them is believed before it was looked at.
import { ipText } from '../netlink/bytes.ts'
import { isWhole } from './checksum.ts'
import { COOKIE_BYTES, ECHO_REPLY, ECHO_REQUEST, HEADER_BYTES, meaningOf, type ErrorKind, type Family } from './constants.ts'

export interface Heard {
  readonly kind: 'reply' | ErrorKind
  readonly identifier: number
  readonly sequence: number
  /** Whether it carries what only who saw the request can know. An error need not bring enough of it back, and a small request has no room. */
  readonly is_sure: boolean
  readonly from_address: string
  /** Where the request went to, by what the answer says. */
  readonly target_address: string
  /** Bytes of payload that a reply brings back; 0 with an error. */
  readonly packet_size: number
  /** What is left of it. */
  readonly hop_limit: number
  /** RFC 1191, RFC 4443; null where it is not told. */
  readonly reported_mtu: number | null
  /** "" with a reply. */
  readonly words: string
  readonly at_us: number
  readonly interface_index: number
}

/** An IPv4 packet has its header, an IPv6 one begins with ICMPv6. */
export interface Packet {
  readonly bytes: Buffer
  readonly from: Buffer
  /** When it came, in microseconds since 1970; 0 where the kernel does not say. */
  readonly at_us: number
  readonly interface_index: number
  /** -1 where the bytes have it (IPv4). */
  readonly hop_limit: number
}

const IPV4_HEADER = 20
const IPV6_HEADER = 40
const IPPROTO_ICMP = 1
const IPPROTO_ICMPV6 = 58
const IPPROTO_FRAGMENT = 44
const FRAGMENT_HEADER = 8

/** An echo message inside a packet, and where that packet went to. */
interface Echo {
  readonly message: Buffer
  readonly target: Buffer
}

/** Null where it is nothing to do with an echo request that carries the cookie. */
export function readHeard(family: Family, packet: Packet, cookie: Buffer): Heard | null {
  const message = family === 4 ? icmpOf(packet.bytes) : packet.bytes
  // IPv6's own checksum covers addresses that are not here; the kernel has seen to it (net/ipv6/raw.c).
  if (!message || message.length < HEADER_BYTES || (family === 4 && !isWhole(message))) return null
  const [type = 0, code = 0] = message
  const isReply = type === ECHO_REPLY[family]
  const meaning = isReply ? { kind: 'reply' as const, words: '' } : meaningOf(family, type, code)
  const echo = isReply ? { message, target: packet.from } : quoted(family, message.subarray(HEADER_BYTES))
  if (!meaning || !echo) return null
  const payloadBytes = echo.message.length - HEADER_BYTES
  const isSure = payloadBytes >= COOKIE_BYTES
  if (isSure && echo.message.compare(cookie, 0, COOKIE_BYTES, HEADER_BYTES, HEADER_BYTES + COOKIE_BYTES) !== 0) return null
  return {
    ...meaning,
    identifier: echo.message.readUInt16BE(4),
    sequence: echo.message.readUInt16BE(6),
    is_sure: isSure,
    from_address: ipText(packet.from),
    target_address: ipText(echo.target),
    packet_size: isReply ? payloadBytes : 0,
    hop_limit: family === 4 ? (packet.bytes[8] ?? 0) : Math.max(0, packet.hop_limit),
    reported_mtu: meaning.kind === 'too_big' ? mtuIn(family, message) : null,
    at_us: packet.at_us,
    interface_index: packet.interface_index,
  }
}

/** What an IPv4 packet carries, where that is ICMP. */
function icmpOf(packet: Buffer): Buffer | null {
  const [first = 0] = packet
  const length = (first & 0x0f) * 4
  if (first >> 4 !== 4 || length < IPV4_HEADER || packet.length < length || packet[9] !== IPPROTO_ICMP) return null
  return packet.subarray(length)
}

/** The echo request that an error quotes. Only the first fragment of a packet has it. */
function quoted(family: Family, packet: Buffer): Echo | null {
  const found = family === 4 ? quotedIpv4(packet) : quotedIpv6(packet)
  return found && found.message.length >= HEADER_BYTES && found.message[0] === ECHO_REQUEST[family] ? found : null
}

function quotedIpv4(packet: Buffer): Echo | null {
  const message = icmpOf(packet)
  return message && (packet.readUInt16BE(6) & 0x1fff) === 0 ? { message, target: packet.subarray(16, 20) } : null
}

function quotedIpv6(packet: Buffer): Echo | null {
  if (packet.length < IPV6_HEADER || (packet[0] ?? 0) >> 4 !== 6) return null
  const target = packet.subarray(24, 40)
  const rest = packet.subarray(IPV6_HEADER)
  if (packet[6] === IPPROTO_ICMPV6) return { message: rest, target }
  const isFirst = packet[6] === IPPROTO_FRAGMENT && rest.length >= FRAGMENT_HEADER && rest[0] === IPPROTO_ICMPV6 && (rest.readUInt16BE(2) & 0xfff8) === 0
  return isFirst ? { message: rest.subarray(FRAGMENT_HEADER), target } : null
}

/** 0 is what routers older than RFC 1191 say. */
function mtuIn(family: Family, message: Buffer): number | null {
  return (family === 4 ? message.readUInt16BE(6) : message.readUInt32BE(4)) || null
}
