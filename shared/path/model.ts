// Requests and results of path checks: echo requests (RFC 792, RFC 4443) and what finally became of each.
import { integer, line, nullable, strict, stringEnum, Type, type Static } from '../schema.ts'
import { INTERFACE_NAME_PATTERN, IpText } from '../tunnel/model.ts'

export const WATCH_TARGETS_MAX = 2000
export const WATCH_BATCH_MAX = 1000
/** ICMP's share of the largest IPv4 packet: 65535 less 20 of IP and 8 of ICMP. */
export const PAYLOAD_MAX = 65_507

/**
 * Echo requests in one second and their bytes, over everything that runs: what the panel can be made to send at the
 * most.
 */
export const PACKETS_PER_SECOND_MAX = 10_000
export const BYTES_PER_SECOND_MAX = 12_500_000

/**
 * Not more than this many echo requests of one target are waited for; an older one is given up where the timeout is
 * longer than that.
 */
export const PENDING_MAX = 256

/** Target and route of a packet. "" for the interface or the source leaves the choice to the kernel's routing table. */
const ends = {
  interface_name: Type.String({ pattern: `^$|${INTERFACE_NAME_PATTERN}` }),
  source_address: Type.String({ pattern: '^([0-9a-f:.]{2,39})?$' }),
  target_address: IpText,
}
const Size = integer(0, PAYLOAD_MAX)
const Milliseconds = (most: number) => integer(50, most)
const Microseconds = integer(0, 3_600_000_000)
const Mtu = integer(68, 65_535)
/** Since 1970. */
const Moment = integer(0, Number.MAX_SAFE_INTEGER)
const Detail = line(300)

/**
 * `packet_size` counts payload bytes, as ping does. Where an interface is named, the answer must come back through it.
 */
export const WatchTarget = strict({
  target_id: integer(1, Number.MAX_SAFE_INTEGER),
  ...ends,
  interval_ms: integer(200, 3_600_000),
  timeout_ms: Milliseconds(3_600_000),
  packet_size: Size,
})
export type WatchTarget = Static<typeof WatchTarget>
export const TargetId = WatchTarget.properties.target_id

/**
 * reply: answered in time. timeout: no answer in time. late: answered after it was reported as timeout or unreachable.
 * unreachable: a router reports that it does not arrive. too_big: a router reports that it does not fit and may not be
 * fragmented. not_sent: refused by this host's kernel.
 */
export const PROBE_OUTCOMES = ['reply', 'late', 'timeout', 'unreachable', 'too_big', 'not_sent'] as const
export type ProbeOutcome = (typeof PROBE_OUTCOMES)[number]

/**
 * `sequence` counts from 1 for each target and continues when its settings change. `rtt_us` with reply and late.
 * `detail` is "" with reply.
 */
const decided = {
  sequence: integer(1, Number.MAX_SAFE_INTEGER),
  outcome: stringEnum(PROBE_OUTCOMES),
  sent_at_ms: Moment,
  rtt_us: nullable(Microseconds),
  detail: Detail,
}

/** `pending`: echo requests of this target that are still waited for. */
export const WatchResult = strict({ target_id: TargetId, ...decided, pending: integer(0, PENDING_MAX) })
export type WatchResult = Static<typeof WatchResult>

/**
 * The first item comes at once, without results, and carries the `watch_id`. `lost`: results since the item before that
 * a slow reader has missed.
 */
export const WatchItem = strict({
  watch_id: integer(1, Number.MAX_SAFE_INTEGER),
  results: Type.Array(WatchResult, { maxItems: WATCH_BATCH_MAX }),
  lost: integer(0, Number.MAX_SAFE_INTEGER),
})
export type WatchItem = Static<typeof WatchItem>

export const PingParams = strict({
  ...ends,
  count: integer(1, 10_000),
  interval_ms: integer(10, 60_000),
  timeout_ms: Milliseconds(60_000),
  packet_size: Size,
  is_dont_fragment: Type.Boolean(),
})
export type PingParams = Static<typeof PingParams>

/**
 * `from_address`: who answered or sent the error, "" for nobody. `hop_limit`: what was left of it in the answer.
 * `reported_mtu`: with too_big.
 */
export const PingPacket = strict({
  ...decided,
  from_address: Type.String({ pattern: '^([0-9a-f:.]{2,39})?$' }),
  hop_limit: nullable(integer(0, 255)),
  reported_mtu: nullable(integer(0, 0xffff_ffff)),
})
export type PingPacket = Static<typeof PingPacket>
export const PingItem = strict({ packets: Type.Array(PingPacket, { maxItems: WATCH_BATCH_MAX }) })
export const PingResult = strict({ sent: integer(0, 10_000), received: integer(0, 10_000) })
export type PingResult = Static<typeof PingResult>

/** Sizes are of whole IP packets, as an MTU is. */
export const MtuParams = strict({ ...ends, min: Mtu, max: Mtu, timeout_ms: Milliseconds(10_000) })
export type MtuParams = Static<typeof MtuParams>

/** refused: by the link of this host. too_big: reported by a router. no_answer: to any of several requests. */
export const MTU_STEPS = ['fits', 'refused', 'too_big', 'no_answer', 'unreachable'] as const
export const MtuStep = strict({
  packet_size: Mtu,
  outcome: stringEnum(MTU_STEPS),
  reported_mtu: PingPacket.properties.reported_mtu,
  detail: Detail,
})
export type MtuStep = Static<typeof MtuStep>

/**
 * `path_mtu` null: not even the smallest size was answered, and `detail` gives possible reasons. `reported_mtu`: the
 * smallest that a router reported.
 */
export const MtuResult = strict({
  path_mtu: nullable(Mtu),
  reported_mtu: PingPacket.properties.reported_mtu,
  detail: Detail,
})
export type MtuResult = Static<typeof MtuResult>

export const TraceParams = strict({
  ...ends,
  max_hops: integer(1, 64),
  probes: integer(1, 10),
  timeout_ms: Milliseconds(10_000),
})
export type TraceParams = Static<typeof TraceParams>

/**
 * One line per hop, in order. `rtts_us` has an entry for each probe, null where nothing came; `addresses` names each
 * answerer once.
 */
export const TraceHop = strict({
  hop_limit: integer(1, 64),
  addresses: Type.Array(IpText, { maxItems: 10 }),
  rtts_us: Type.Array(nullable(Microseconds), { maxItems: 10 }),
  is_reached: Type.Boolean(),
  detail: Detail,
})
export type TraceHop = Static<typeof TraceHop>
export const TraceResult = strict({ is_reached: Type.Boolean(), detail: Detail })
export type TraceResult = Static<typeof TraceResult>
