// What a client may ask of the way to a tunnel's other end, and what it is answered (interface.md, Diagnostics; decisions.md, D1 to D11).
import type { LinkStatistics } from '../model/observed.ts'
import { PAYLOAD_MAX, type ProbeOutcome } from '../model/path.ts'
import { strict, Type, type Static } from '../model/schema.ts'
import type { Evidence } from './analysis.ts'
import { flag, maybe, ranged, says } from './fields.ts'

export const DIAGNOSTIC_TYPES = { ping: 10, 'mtu-probe': 20, traceroute: 30, analyze: 40 } as const
export type DiagnosticType = keyof typeof DIAGNOSTIC_TYPES

/** What root sends in one go, whatever the settings say. */
export const PING_COUNT_MAX = 10_000

const address = (name: string, description: string) => maybe(Type.String({ minLength: 2, maxLength: 45, ...says('INVALID_ADDRESS', `${name} must be an IP address.`, description) }))

export const PingBody = strict({
  count: maybe(ranged('integer', 1, PING_COUNT_MAX, 'INVALID_VALUE', 'count', 'How many packets. Default and bound by the settings of diagnostics.')),
  interval_seconds: maybe(ranged('number', 0.01, 60, 'INVALID_VALUE', 'interval_seconds', 'Time from one packet to the next.')),
  timeout_seconds: maybe(ranged('number', 0.1, 60, 'INVALID_VALUE', 'timeout_seconds', 'Time after which a packet counts as lost.')),
  packet_size: maybe(ranged('integer', 0, PAYLOAD_MAX, 'INVALID_VALUE', 'packet_size', 'Bytes of payload. Default 56.')),
  df: maybe(flag('df', 'Whether packets may not be cut up on the way. Default false.')),
  source: address('source', 'Address that is asked from. Absent: that of the tunnel.'),
  target: address('target', 'Address that is asked. Absent: the other end inside the tunnel.'),
})
export type PingBody = Static<typeof PingBody>

export interface DiagnosticRun {
  diagnostic_run_id: number
  tunnel_id: number
  diagnostic_type_id: number
  type: DiagnosticType
  params: Record<string, unknown>
  /** Null while it is running. */
  result: Record<string, unknown> | null
  started_date: string
  finished_date: string | null
  is_success: boolean
  running: boolean
}

/** `kind` says how it ended, and `error` more of that where it was no reply in time. `from`: who answered or complained. */
export interface PingPacketEvent {
  sequence: number
  success: boolean
  rtt_ms: number | null
  size: number
  from: string
  error: string
  kind: Exclude<ProbeOutcome, 'late'>
  at: string
}

/** Of the packets that were decided before the end. */
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

export interface PingSummaryEvent extends DiagnosticRun {
  sent: number
  received: number
  loss_percent: number | null
}

export interface ListRunsAnswer {
  runs: DiagnosticRun[]
  total: number
  limit: number
  offset: number
}

/** `cancelled`: it was running still. */
export interface DeleteRunAnswer {
  diagnostic_run_id: number
  cancelled: boolean
}

export interface CountersAnswer {
  interface_name: string
  counters: LinkStatistics
  /** How far each moved in `interval_seconds`. */
  deltas: LinkStatistics
  rx_bytes_per_second: number
  tx_bytes_per_second: number
  interval_seconds: number
  sampled_at: string
}

const timeout_seconds = maybe(ranged('number', 0.05, 10, 'INVALID_VALUE', 'timeout_seconds', 'How long an answer is waited for. Default 1.'))
const ends = {
  probe_tunnel: maybe(flag('probe_tunnel', 'Whether the way inside the tunnel is tried, and not the one between the two servers. Default false.')),
  source: address('source', 'Address that is asked from. Absent: the end of the way that is tried.'),
  target: address('target', 'Address that is asked. Absent: the other end of the way that is tried.'),
}

export const MtuProbeBody = strict({
  min: maybe(ranged('integer', 68, 65_535, 'INVALID_VALUE', 'min', 'Smallest packet to try, in bytes with its IP header. Default by diagnostics.mtu_probe_min.')),
  max: maybe(ranged('integer', 68, 65_535, 'INVALID_VALUE', 'max', 'Largest packet to try. Default by diagnostics.mtu_probe_max.')),
  timeout_seconds,
  ...ends,
})
export type MtuProbeBody = Static<typeof MtuProbeBody>

export interface MtuProbeStep {
  packet_size: number
  fits: boolean
  detail: string
  reported_mtu: number | null
}

/** `recommended_tunnel_mtu`: what fits through the way once the tunnel's headers are added. Null where not even the smallest size fits. */
export interface MtuProbeResult {
  discovered_path_mtu: number | null
  recommended_tunnel_mtu: number | null
  overhead: number
  path: 'underlay' | 'tunnel'
  source: string
  target: string
  /** The smallest that somebody on the way told. */
  reported_path_mtu: number | null
  current_tunnel_mtu: number
  matches: boolean
  steps: MtuProbeStep[]
  detail: string
  cancelled: boolean
  /** A probe changes nothing: `apply` is the request that does. */
  applied: false
}

/** `apply` null: there is nothing to recommend, or no tunnel can have it. */
export interface MtuProbeAnswer {
  run: DiagnosticRun
  result: MtuProbeResult
  apply: { method: 'PATCH'; path: string; body: { mtu: number } } | null
}

export const TracerouteBody = strict({
  max_hops: maybe(ranged('integer', 1, 64, 'INVALID_VALUE', 'max_hops', 'How far to look. Default 30.')),
  probes: maybe(ranged('integer', 1, 10, 'INVALID_VALUE', 'probes', 'Packets for each hop. Default 3.')),
  timeout_seconds,
  ...ends,
})
export type TracerouteBody = Static<typeof TracerouteBody>

/** `timeout`: nobody answered at this distance. `rtts_ms` has an entry for each packet, null where nothing came. */
export interface TracerouteHop {
  ttl: number
  addresses: string[]
  rtts_ms: (number | null)[]
  reached: boolean
  timeout: boolean
  detail: string
}

export interface TracerouteResult {
  source: string
  target: string
  path: 'underlay' | 'tunnel'
  hops: TracerouteHop[]
  reached: boolean
  detail: string
  cancelled: boolean
}

export interface TracerouteAnswer {
  run: DiagnosticRun
  result: TracerouteResult
}

export const AnalyzeTunnelBody = strict({
  sample_seconds: maybe(ranged('number', 0.1, 30, 'INVALID_VALUE', 'sample_seconds', 'How long the counters are watched. Default 1.')),
})
export type AnalyzeTunnelBody = Static<typeof AnalyzeTunnelBody>

/** In the order in which they are told: the first that holds is the verdict. */
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

/** `evidence` is never empty; `confidence` low: what was looked at does not settle it. */
export interface TunnelAnalysis {
  tunnel_id: number
  interface_name: string
  verdict: TunnelVerdict
  summary: string
  evidence: Evidence[]
  suggested_fix: string[]
  confidence: 'high' | 'low'
  checked_at: string
}

export interface AnalyzeTunnelAnswer {
  run: DiagnosticRun
  result: TunnelAnalysis
}
