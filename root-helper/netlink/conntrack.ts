// Connection tracking over ctnetlink: entries by mark, filtered in the kernel, and their deletion.
import type { RelayConnection } from '@panel/shared/ruleset/connection.ts'
import { CONNECTION_STATES, isOpen } from '@panel/shared/ruleset/connection.ts'
import { isFastMark, readMark } from '@panel/shared/ruleset/mark.ts'
import { attribute, Attributes, nest, u16be, u32, u32be } from './attributes.ts'
import { ipText, type AddressFamily } from './bytes.ts'
import type { Message } from './message.ts'
import type { Request } from './socket.ts'

// Source: linux/netfilter/nfnetlink.h, nfnetlink_conntrack.h and nf_conntrack_common.h.
const GET = 0x0101
const DELETE = 0x0102
const NFGENMSG_BYTES = 4
const CTA = {
  ORIGINAL: 1,
  REPLY: 2,
  STATUS: 3,
  PROTOCOL: 4,
  TIMEOUT: 7,
  MARK: 8,
  COUNTERS_ORIGINAL: 9,
  COUNTERS_REPLY: 10,
  ID: 12,
  ZONE: 18,
  TIMESTAMP: 20,
  MARK_MASK: 21,
  FILTER: 25,
} as const
const TUPLE = { IP: 1, PROTOCOL: 2 } as const
const IP = { V4_SOURCE: 1, V4_DESTINATION: 2, V6_SOURCE: 3, V6_DESTINATION: 4 } as const
const PORT = { NUMBER: 1, SOURCE: 2, DESTINATION: 3 } as const
const COUNTER = { PACKETS: 1, BYTES: 2 } as const
const TIMESTAMP_START = 1
const PROTOCOL_TCP = 1
const UDP = 17
/** enum ctattr_filter, and the bits of its flags that name the protocol and the port of the destination. */
const FILTER_ORIGINAL = 1
const BY_PROTOCOL = 1 << 3
const BY_DESTINATION_PORT = 1 << 5
const TCP_STATE = 1
const IPS_SEEN_REPLY = 2
const IPS_ASSURED = 4
const IPS_DST_NAT = 0x20

/** An entry that one of our rules owns, with what is needed to delete exactly this one. */
export interface TrackedConnection extends RelayConnection {
  readonly family: number
  readonly key: readonly Buffer[]
}

const header = (family: number): Buffer => Buffer.from([family, 0, 0, 0])

export const dumpByMark = (mark: number, mask: number): Request => ({
  what: 'list connections',
  type: GET,
  parts: [header(0), u32be(CTA.MARK, mark), u32be(CTA.MARK_MASK, mask)],
})
export const dumpAll: Request = { what: 'list all connections', type: GET, parts: [header(0)] }

/** A dump of one port if it is given; a kernel before 5.8 answers with all there are. */
export function dumpUdp(family: AddressFamily, port: number | null): Request {
  const what = [attribute(PORT.NUMBER, Buffer.from([UDP])), ...(port === null ? [] : [u16be(PORT.DESTINATION, port)])]
  const flags = BY_PROTOCOL | (port === null ? 0 : BY_DESTINATION_PORT)
  return {
    what: 'list the flows of UDP',
    type: GET,
    parts: [
      header(family),
      nest(CTA.ORIGINAL, nest(TUPLE.PROTOCOL, ...what)),
      nest(CTA.FILTER, u32(FILTER_ORIGINAL, flags)),
    ],
  }
}

export const deleteConnection = ({ family, key }: Pick<TrackedConnection, 'family' | 'key'>): Request => ({
  what: 'drop a connection',
  type: DELETE,
  parts: [header(family), ...key],
})

/** Null for an entry that no rule owns, or of another protocol than ours. `now` is in milliseconds since 1970. */
export function decodeConnection({ body }: Message, now: number): TrackedConnection | null {
  const a = new Attributes(body, NFGENMSG_BYTES)
  const mark = a.u32be(CTA.MARK) ?? 0
  const owner = readMark(mark)
  const [original, reply] = [tupleIn(a.nested(CTA.ORIGINAL)), tupleIn(a.nested(CTA.REPLY))]
  const raw = a.raw(CTA.ORIGINAL)
  if (!owner || owner.route_rule_id === 0 || !original || !reply || !raw) return null
  const [tx, rx] = [countersIn(a.nested(CTA.COUNTERS_ORIGINAL)), countersIn(a.nested(CTA.COUNTERS_REPLY))]
  return {
    route_rule_id: owner.route_rule_id,
    protocol: original.protocol,
    source_address: original.source,
    source_port: original.sourcePort,
    bind_address: original.destination,
    bind_port: original.destinationPort,
    destination_address: reply.source,
    destination_port: reply.sourcePort,
    state: stateOf(a),
    age_seconds: ageSeconds(a, now),
    timeout_seconds: a.u32be(CTA.TIMEOUT) ?? 0,
    tx_bytes: tx.bytes,
    tx_packets: tx.packets,
    rx_bytes: rx.bytes,
    rx_packets: rx.packets,
    mark,
    family: body.readUInt8(0),
    key: keyOf(a, raw),
  }
}

function keyOf(a: Attributes, original: Buffer): Buffer[] {
  const [zone, id] = [a.raw(CTA.ZONE), a.raw(CTA.ID)]
  return [
    nest(CTA.ORIGINAL, Buffer.from(original)),
    ...(id ? [attribute(CTA.ID, id)] : []),
    ...(zone ? [attribute(CTA.ZONE, zone)] : []),
  ]
}

export interface UdpEnd {
  readonly address: string
  readonly port: number
}

/** A flow by where it was sent to first; `begunFrom`: where it came from, if no address of its source is translated. */
export interface UdpFlow extends Pick<TrackedConnection, 'family' | 'key' | 'mark'> {
  readonly to: UdpEnd
  readonly begunFrom: UdpEnd | null
}

/** Null for a flow of another protocol. */
export function udpFlow({ body }: Message): UdpFlow | null {
  const a = new Attributes(body, NFGENMSG_BYTES)
  const [original, reply] = [tupleIn(a.nested(CTA.ORIGINAL)), tupleIn(a.nested(CTA.REPLY))]
  const raw = a.raw(CTA.ORIGINAL)
  if (!original || !reply || !raw || original.protocol !== 'udp') return null
  return {
    family: body.readUInt8(0),
    key: keyOf(a, raw),
    mark: a.u32be(CTA.MARK) ?? 0,
    to: { address: original.destination, port: original.destinationPort },
    begunFrom: original.source === reply.destination ? { address: original.source, port: original.sourcePort } : null,
  }
}

/** A flow as counting needs it. `flow` is the number of its entry, which no two of one rule have at one time. */
export interface OwnedFlow {
  readonly route_rule_id: number
  readonly flow: number
  readonly isOpen: boolean
  /** Both ends have taken part: the handshake of TCP is over, or UDP was answered. */
  readonly isAnswered: boolean
  /** The destination has taken up the connection, and its answer has not reached the client yet, as far as it shows. */
  readonly isHalfOpen: boolean
}

export function ownedFlow({ body }: Message): OwnedFlow | null {
  const a = new Attributes(body, NFGENMSG_BYTES)
  const route_rule_id = readMark(a.u32be(CTA.MARK) ?? 0)?.route_rule_id ?? 0
  const flow = a.u32be(CTA.ID)
  if (route_rule_id === 0 || flow === null) return null
  const [state, status] = [stateOf(a), a.u32be(CTA.STATUS) ?? 0]
  const isAnswered = state === 'REPLIED' || (state !== 'UNREPLIED' && (status & IPS_ASSURED) !== 0)
  return { route_rule_id, flow, isOpen: isOpen({ state }), isAnswered, isHalfOpen: state === 'SYN_RECV' }
}

/** A flow of the fast path, with all that it has carried. `key` is no other flow's, now or later. */
export interface FastFlow {
  readonly key: string
  readonly route_rule_id: number
  readonly tx_bytes: number
  readonly tx_packets: number
  readonly rx_bytes: number
  readonly rx_packets: number
}

/** Decodes an entry, or the event of its end; null if it is not of the fast path. */
export function fastFlow({ body }: Pick<Message, 'body'>): FastFlow | null {
  const a = new Attributes(body, NFGENMSG_BYTES)
  const mark = a.u32be(CTA.MARK) ?? 0
  const route_rule_id = isFastMark(mark) ? (readMark(mark)?.route_rule_id ?? 0) : 0
  const [id, original] = [a.raw(CTA.ID), a.raw(CTA.ORIGINAL)]
  if (route_rule_id === 0 || !id || !original) return null
  const [tx, rx] = [countersIn(a.nested(CTA.COUNTERS_ORIGINAL)), countersIn(a.nested(CTA.COUNTERS_REPLY))]
  return {
    key: Buffer.concat([id, original, a.raw(CTA.ZONE) ?? Buffer.alloc(0)]).toString('base64'),
    route_rule_id,
    tx_bytes: tx.bytes ?? 0,
    tx_packets: tx.packets ?? 0,
    rx_bytes: rx.bytes ?? 0,
    rx_packets: rx.packets ?? 0,
  }
}

/** The ends of an open flow that no rule owns. */
export function endsOfOthers({ body }: Message): readonly Buffer[] {
  const a = new Attributes(body, NFGENMSG_BYTES)
  if ((readMark(a.u32be(CTA.MARK) ?? 0)?.route_rule_id ?? 0) !== 0 || !isOpen({ state: stateOf(a) })) return []
  return [CTA.ORIGINAL, CTA.REPLY].flatMap((direction) => {
    const ip = a.nested(direction)?.nested(TUPLE.IP)
    return ip?.raw(IP.V4_SOURCE) ?? ip?.raw(IP.V6_SOURCE) ?? []
  })
}

/** A flow whose destination was translated, without a mark of ours: where it arrived, and where it was sent on to. */
export interface UnmarkedFlow {
  readonly protocol: 'tcp' | 'udp'
  readonly bind_address: string
  readonly bind_port: number
  readonly destination_address: string
  readonly destination_port: number
  readonly mark: number
}

/** Null for a flow that a rule owns, that goes where it was sent, that has ended, or of another protocol. */
export function unmarkedFlow({ body }: Message): UnmarkedFlow | null {
  const a = new Attributes(body, NFGENMSG_BYTES)
  const mark = a.u32be(CTA.MARK) ?? 0
  if (readMark(mark) !== null || ((a.u32be(CTA.STATUS) ?? 0) & IPS_DST_NAT) === 0) return null
  if (!isOpen({ state: stateOf(a) })) return null
  const [original, reply] = [tupleIn(a.nested(CTA.ORIGINAL)), tupleIn(a.nested(CTA.REPLY))]
  if (!original || !reply) return null
  return {
    protocol: original.protocol,
    bind_address: original.destination,
    bind_port: original.destinationPort,
    destination_address: reply.source,
    destination_port: reply.sourcePort,
    mark,
  }
}

interface Tuple {
  readonly protocol: 'tcp' | 'udp'
  readonly source: string
  readonly destination: string
  readonly sourcePort: number
  readonly destinationPort: number
}

function tupleIn(tuple: Attributes | null): Tuple | null {
  const ip = tuple?.nested(TUPLE.IP)
  const protocol = tuple?.nested(TUPLE.PROTOCOL)
  const number = protocol?.u8(PORT.NUMBER)
  const source = ip?.raw(IP.V4_SOURCE) ?? ip?.raw(IP.V6_SOURCE)
  const destination = ip?.raw(IP.V4_DESTINATION) ?? ip?.raw(IP.V6_DESTINATION)
  if (!protocol || !source || !destination || (number !== 6 && number !== 17)) return null
  return {
    protocol: number === 6 ? 'tcp' : 'udp',
    source: ipText(source),
    destination: ipText(destination),
    sourcePort: protocol.u16be(PORT.SOURCE) ?? 0,
    destinationPort: protocol.u16be(PORT.DESTINATION) ?? 0,
  }
}

function countersIn(counters: Attributes | null): { bytes: number | null; packets: number | null } {
  return { bytes: counters?.u64be(COUNTER.BYTES) ?? null, packets: counters?.u64be(COUNTER.PACKETS) ?? null }
}

function stateOf(a: Attributes): RelayConnection['state'] {
  const state = a.nested(CTA.PROTOCOL)?.nested(PROTOCOL_TCP)?.u8(TCP_STATE)
  if (typeof state === 'number') return CONNECTION_STATES[state] ?? 'NONE'
  return ((a.u32be(CTA.STATUS) ?? 0) & IPS_SEEN_REPLY) !== 0 ? 'REPLIED' : 'UNREPLIED'
}

function ageSeconds(a: Attributes, now: number): number | null {
  const start = a.nested(CTA.TIMESTAMP)?.u64be(TIMESTAMP_START) ?? null
  return start === null ? null : Math.max(0, Math.floor((now - start / 1e6) / 1000))
}
