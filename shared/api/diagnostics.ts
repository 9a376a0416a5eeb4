// What a client may ask of the way to a tunnel's other end, and what it is answered (reference.md, Diagnostics;
// decisions.md, D1 to D11).
import { message } from '../messages/message.ts'
import { LinkStatistics } from '../tunnel/observed.ts'
import { PAYLOAD_MAX, PROBE_OUTCOMES, type ProbeOutcome } from '../path/model.ts'
import { nullable, strict, Type, type Static } from '../schema.ts'
import { sentence, MessageFields } from './base/errors.ts'
import { conclusion } from './analysis.ts'
import { flag, maybe, ranged, refusedWith } from './base/fields.ts'
import { readyRequest } from './base/ready.ts'
import {
  Amount,
  Anything,
  Count,
  Flag,
  Id,
  idIn,
  Instant,
  list,
  Never,
  oneOf,
  shape,
  Text,
  described,
  Whole,
  wordIn,
} from './base/shapes.ts'

export const DIAGNOSTIC_TYPES = { ping: 10, 'mtu-probe': 20, traceroute: 30, analyze: 40 } as const
export type DiagnosticType = keyof typeof DIAGNOSTIC_TYPES

/** What root sends in one go, whatever the settings say. */
export const PING_COUNT_MAX = 10_000

const address = (name: string, description: string) =>
  maybe(
    Type.String({
      minLength: 2,
      maxLength: 45,
      ...refusedWith('INVALID_ADDRESS', message('input.ip', { field: name }), description),
    }),
  )

export const PingBody = shape('PingBody', {
  count: maybe(
    ranged(
      'integer',
      1,
      PING_COUNT_MAX,
      'INVALID_VALUE',
      'count',
      'How many packets. Default and bound by the settings of diagnostics.',
    ),
  ),
  interval_seconds: maybe(
    ranged('number', 0.01, 60, 'INVALID_VALUE', 'interval_seconds', 'Time from one packet to the next.'),
  ),
  timeout_seconds: maybe(
    ranged('number', 0.1, 60, 'INVALID_VALUE', 'timeout_seconds', 'Time after which a packet counts as lost.'),
  ),
  packet_size: maybe(
    ranged('integer', 0, PAYLOAD_MAX, 'INVALID_VALUE', 'packet_size', 'Bytes of payload. Default 56.'),
  ),
  df: maybe(flag('df', 'Whether packets must not be fragmented on the path. Default false.')),
  source: address('source', 'Source address. Absent: that of the tunnel.'),
  target: address('target', 'Destination address. Absent: the other end inside the tunnel.'),
})
export type PingBody = Static<typeof PingBody>

export const DiagnosticRun = shape('DiagnosticRun', {
  diagnostic_run_id: Id,
  tunnel_id: Id,
  diagnostic_type_id: idIn(DIAGNOSTIC_TYPES),
  type: wordIn(DIAGNOSTIC_TYPES),
  params: described(Anything, 'The request of the run, with every default filled in.'),
  result: described(nullable(Anything), 'Null while it is running.'),
  started_date: Instant,
  finished_date: nullable(Instant),
  is_success: Flag,
  running: Flag,
})
export type DiagnosticRun = Static<typeof DiagnosticRun>

/** One for each packet: an answer after the time that was given changes nothing of it. */
export const PingPacketEvent = shape('PingPacket', {
  sequence: Id,
  success: Flag,
  rtt_ms: nullable(Amount),
  size: Count,
  from: described(Text, 'The host that sent the reply or the ICMP error.'),
  ...sentence('error', 'Details of how it ended, where no reply came in time.'),
  kind: oneOf(PROBE_OUTCOMES.filter((outcome): outcome is Exclude<ProbeOutcome, 'late'> => outcome !== 'late')),
  at: Instant,
})
export type PingPacketEvent = Static<typeof PingPacketEvent>

/** Counts the packets that were decided before the end. */
export interface PingSummary {
  sent: number
  received: number
  loss_percent: number | null
  rtt_min_ms: number | null
  rtt_avg_ms: number | null
  rtt_max_ms: number | null
  rtt_mdev_ms: number | null
  jitter_ms: number | null
}

export const PingSummaryEvent = shape('PingSummary', {
  ...DiagnosticRun.properties,
  sent: Count,
  received: Count,
  loss_percent: nullable(Amount),
})
export type PingSummaryEvent = Static<typeof PingSummaryEvent>

/** What the ping stream sends, by the name of the event. */
export const PING_EVENTS = {
  run: DiagnosticRun,
  packet: PingPacketEvent,
  summary: PingSummaryEvent,
  error: shape('PingError', MessageFields),
}

export const ListRunsAnswer = shape('DiagnosticRuns', {
  runs: list(DiagnosticRun),
  total: Count,
  limit: Count,
  offset: Count,
})
export type ListRunsAnswer = Static<typeof ListRunsAnswer>

export const DeleteRunAnswer = shape('DiagnosticRunDeleted', {
  diagnostic_run_id: Id,
  cancelled: described(Flag, 'It was still running.'),
})
export type DeleteRunAnswer = Static<typeof DeleteRunAnswer>

export const CountersAnswer = shape('TunnelCounters', {
  interface_name: Text,
  counters: LinkStatistics,
  deltas: described(LinkStatistics, 'How far each moved in interval_seconds.'),
  rx_bytes_per_second: Amount,
  tx_bytes_per_second: Amount,
  interval_seconds: Amount,
  sampled_at: Instant,
})
export type CountersAnswer = Static<typeof CountersAnswer>

const timeout_seconds = maybe(
  ranged('number', 0.05, 10, 'INVALID_VALUE', 'timeout_seconds', 'How long to wait for an answer. Default 1.'),
)
const ends = {
  probe_tunnel: maybe(
    flag(
      'probe_tunnel',
      'Whether the path inside the tunnel is tried, and not the one between the two servers. Default false.',
    ),
  ),
  source: address('source', 'Source address. Absent: this end of the path that is tried.'),
  target: address('target', 'Destination address. Absent: the other end of the path that is tried.'),
}

export const MtuProbeBody = shape('MtuProbeBody', {
  min: maybe(
    ranged(
      'integer',
      68,
      65_535,
      'INVALID_VALUE',
      'min',
      'Smallest packet to try, in bytes with its IP header. Default by diagnostics.mtu_probe_min.',
    ),
  ),
  max: maybe(
    ranged(
      'integer',
      68,
      65_535,
      'INVALID_VALUE',
      'max',
      'Largest packet to try. Default by diagnostics.mtu_probe_max.',
    ),
  ),
  timeout_seconds,
  ...ends,
})
export type MtuProbeBody = Static<typeof MtuProbeBody>

export const MtuProbeStep = strict({
  packet_size: Count,
  fits: Flag,
  ...sentence('detail'),
  reported_mtu: nullable(Count),
})
export type MtuProbeStep = Static<typeof MtuProbeStep>

export const PATHS = ['underlay', 'tunnel'] as const

export const MtuProbeResult = strict({
  discovered_path_mtu: described(nullable(Count), 'Null where not even the smallest size fits.'),
  recommended_tunnel_mtu: described(
    nullable(Whole),
    'What fits through the path once the headers of the tunnel are added.',
  ),
  overhead: Count,
  path: oneOf(PATHS),
  source: Text,
  target: Text,
  reported_path_mtu: described(nullable(Count), 'The smallest that a router on the path reported.'),
  current_tunnel_mtu: Count,
  matches: Flag,
  steps: list(MtuProbeStep),
  ...sentence('detail'),
  cancelled: Flag,
  applied: described(Never, 'A probe changes nothing: apply is the request that does.'),
})
export type MtuProbeResult = Static<typeof MtuProbeResult>

export const MtuProbeAnswer = shape('MtuProbe', {
  run: DiagnosticRun,
  result: MtuProbeResult,
  apply: described(
    nullable(readyRequest('PATCH', strict({ mtu: Count }))),
    'Null: there is nothing to recommend, or no tunnel can have it.',
  ),
})
export type MtuProbeAnswer = Static<typeof MtuProbeAnswer>

export const TracerouteBody = shape('TracerouteBody', {
  max_hops: maybe(ranged('integer', 1, 64, 'INVALID_VALUE', 'max_hops', 'How many hops at most. Default 30.')),
  probes: maybe(ranged('integer', 1, 10, 'INVALID_VALUE', 'probes', 'Packets for each hop. Default 3.')),
  timeout_seconds,
  ...ends,
})
export type TracerouteBody = Static<typeof TracerouteBody>

export const TracerouteHop = strict({
  ttl: Id,
  addresses: list(Text),
  rtts_ms: described(list(nullable(Amount)), 'One for each packet, null where nothing came.'),
  reached: Flag,
  timeout: described(Flag, 'Nobody answered at this distance.'),
  ...sentence('detail'),
})
export type TracerouteHop = Static<typeof TracerouteHop>

export const TracerouteResult = strict({
  source: Text,
  target: Text,
  path: oneOf(PATHS),
  hops: list(TracerouteHop),
  reached: Flag,
  ...sentence('detail'),
  cancelled: Flag,
})
export type TracerouteResult = Static<typeof TracerouteResult>

export const TracerouteAnswer = shape('Traceroute', { run: DiagnosticRun, result: TracerouteResult })
export type TracerouteAnswer = Static<typeof TracerouteAnswer>

export const AnalyzeTunnelBody = shape('AnalyzeTunnelBody', {
  sample_seconds: maybe(
    ranged('number', 0.1, 30, 'INVALID_VALUE', 'sample_seconds', 'How long the counters are watched. Default 1.'),
  ),
})
export type AnalyzeTunnelBody = Static<typeof AnalyzeTunnelBody>

/** In the order in which they are reported: the first that holds is the verdict. */
export const TUNNEL_VERDICTS = [
  'HEALTHY',
  'INTERFACE_MISSING',
  'INTERFACE_DOWN',
  'UNDERLAY_UNREACHABLE',
  'NO_RETURN_TRAFFIC',
  'KEY_OR_ADDRESSING_MISMATCH',
  'MTU_PROBLEM',
  'LOCAL_FIREWALL_BLOCK',
] as const
export type TunnelVerdict = (typeof TUNNEL_VERDICTS)[number]

export const TunnelAnalysis = shape('TunnelAnalysis', {
  tunnel_id: Id,
  interface_name: Text,
  ...conclusion(TUNNEL_VERDICTS),
})
export type TunnelAnalysis = Static<typeof TunnelAnalysis>

export const AnalyzeTunnelAnswer = shape('TunnelAnalysed', { run: DiagnosticRun, result: TunnelAnalysis })
export type AnalyzeTunnelAnswer = Static<typeof AnalyzeTunnelAnswer>
