// Received ICMP, as far as it answers an echo request. Anybody can send such bytes, so every field is checked before it
// is used.
import { message as phrase } from '@panel/shared/messages/message.ts'
import { ipText } from '../../netlink/bytes.ts'
import type { ReceivedIcmp } from './port.ts'
import { isWhole } from './checksum.ts'
import { COOKIE_BYTES, ECHO_REPLY, HEADER_BYTES, errorMeaning, type Family } from './constants.ts'
import { carriedBy, quotedEcho } from './quoted.ts'

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

const IPPROTO_ICMP = 1

/** Null where it is nothing to do with an echo request that carries the cookie. */
export function readIcmp(family: Family, packet: Packet, cookie: Buffer): ReceivedIcmp | null {
  const message = family === 4 ? icmpPayload(packet.bytes) : packet.bytes
  // IPv6's own checksum covers addresses that are not here; the kernel has seen to it (net/ipv6/raw.c).
  if (!message || message.length < HEADER_BYTES || (family === 4 && !isWhole(message))) return null
  const [type = 0, code = 0] = message
  const isReply = type === ECHO_REPLY[family]
  const meaning = isReply ? { kind: 'reply' as const, text: '' } : errorMeaning(family, type, code)
  const echo = isReply
    ? { message, target: packet.from, wrapping: 0 }
    : quotedEcho(family, message.subarray(HEADER_BYTES))
  if (!meaning || !echo) return null
  const payloadBytes = echo.message.length - HEADER_BYTES
  const isSure = payloadBytes >= COOKIE_BYTES
  if (isSure && echo.message.compare(cookie, 0, COOKIE_BYTES, HEADER_BYTES, HEADER_BYTES + COOKIE_BYTES) !== 0)
    return null
  return {
    kind: meaning.kind,
    text: echo.wrapping === 0 ? meaning.text : describeWrapped(family, type, code, meaning.text),
    identifier: echo.message.readUInt16BE(4),
    sequence: echo.message.readUInt16BE(6),
    is_sure: isSure,
    from_address: ipText(packet.from),
    target_address: ipText(echo.target),
    packet_size: isReply ? payloadBytes : 0,
    hop_limit: family === 4 ? (packet.bytes[8] ?? 0) : Math.max(0, packet.hop_limit),
    reported_mtu: meaning.kind === 'too_big' ? mtuIn(family, message, echo.wrapping) : null,
    at_us: packet.at_us,
    interface_index: packet.interface_index,
  }
}

/** The payload of an IPv4 packet, if it is ICMP. */
function icmpPayload(packet: Buffer): Buffer | null {
  const carried = carriedBy(4, packet)
  return carried?.protocol === IPPROTO_ICMP ? carried.payload : null
}

/** 0 is what routers older than RFC 1191 say. */
function mtuIn(family: Family, message: Buffer, wrapping: number): number | null {
  const mtu = family === 4 ? message.readUInt16BE(6) : message.readUInt32BE(4)
  return mtu > wrapping ? mtu - wrapping : null
}

/**
 * A server without a tunnel for a GRE packet reports the port as unreachable (net/ipv4/ip_gre.c, net/ipv6/ip6_gre.c);
 * one that takes no GRE at all reports the protocol.
 */
const REFUSALS_OF_GRE: Readonly<Record<Family, readonly string[]>> = { 4: ['3 2', '3 3'], 6: ['1 4', '4 1'] }

const describeWrapped = (family: Family, type: number, code: number, text: string): string =>
  REFUSALS_OF_GRE[family].includes(`${type} ${code}`)
    ? phrase('root.no_such_tunnel', { what: text }).message
    : phrase('root.of_wrapping', { what: text }).message
