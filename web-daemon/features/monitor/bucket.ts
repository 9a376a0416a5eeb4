// One interval of a tunnel's history. Its figures can be added, so that intervals join to longer ones and a partly
// stored one can be completed.
import { MONITOR_STATES, type MonitorState } from '@panel/shared/api/base/lookups.ts'
import type { MonitorPoint } from '@panel/shared/api/monitor.ts'
import { makeSeries } from '../../platform/series/series.ts'

/** Worst last. Disabled shows only if there was nothing else (decisions.md, M4). */
const BY_SEVERITY: readonly MonitorState[] = ['Disabled', 'Up', 'Unknown', 'Degraded', 'Down']
export function stateSeverity(state: MonitorState): number {
  return BY_SEVERITY.indexOf(state)
}

export function stateOfSeverity(severity: number): MonitorState {
  return BY_SEVERITY[severity] ?? 'Unknown'
}

/** Times in whole microseconds; `bucket_start` in seconds since 1970. */
export interface Bucket {
  readonly tunnel_id: number
  readonly bucket_start: number
  readonly sent_count: number
  readonly received_count: number
  readonly rtt_sum_us: number
  readonly rtt_min_us: number | null
  readonly rtt_max_us: number | null
  readonly jitter_sum_us: number
  readonly jitter_count: number
  readonly worst_severity: number
  /** How long the tunnel was in each state; the rest of the interval nobody knows, or it was disabled. */
  readonly up_ms: number
  readonly degraded_ms: number
  readonly down_ms: number
  /** What went through the interface; null where nobody counted. */
  readonly rx_bytes: number | null
  readonly tx_bytes: number | null
}

export const TIMES = ['up_ms', 'degraded_ms', 'down_ms'] as const

export function emptyBucket(tunnel_id: number, bucket_start: number): Bucket {
  return {
    tunnel_id,
    bucket_start,
    sent_count: 0,
    received_count: 0,
    rtt_sum_us: 0,
    rtt_min_us: null,
    rtt_max_us: null,
    jitter_sum_us: 0,
    jitter_count: 0,
    worst_severity: 0,
    up_ms: 0,
    degraded_ms: 0,
    down_ms: 0,
    rx_bytes: null,
    tx_bytes: null,
  }
}

export const HISTORY = makeSeries<Bucket, 'tunnel_id'>('monitor_bucket', 'tunnel_id', {
  sent_count: 'sum',
  received_count: 'sum',
  rtt_sum_us: 'sum',
  rtt_min_us: 'min',
  rtt_max_us: 'max',
  jitter_sum_us: 'sum',
  jitter_count: 'sum',
  worst_severity: 'max',
  up_ms: 'sum',
  degraded_ms: 'sum',
  down_ms: 'sum',
  rx_bytes: 'sum',
  tx_bytes: 'sum',
})

export function toPoint(bucket: Bucket, samples: number): MonitorPoint {
  const { sent_count, received_count, worst_severity } = bucket
  const worst_state = stateOfSeverity(worst_severity)
  return {
    bucket_start: new Date(bucket.bucket_start * 1000).toISOString(),
    sent_count,
    received_count,
    loss_percent: sent_count === 0 ? null : thousandths((100 * (sent_count - received_count)) / sent_count),
    rtt_min_ms: inMs(bucket.rtt_min_us),
    rtt_avg_ms: received_count === 0 ? null : inMs(bucket.rtt_sum_us / received_count),
    rtt_max_ms: inMs(bucket.rtt_max_us),
    jitter_ms: bucket.jitter_count === 0 ? null : inMs(bucket.jitter_sum_us / bucket.jitter_count),
    worst_monitor_state_id: MONITOR_STATES[worst_state],
    worst_state,
    up_seconds: bucket.up_ms / 1000,
    degraded_seconds: bucket.degraded_ms / 1000,
    down_seconds: bucket.down_ms / 1000,
    rx_bytes: bucket.rx_bytes,
    tx_bytes: bucket.tx_bytes,
    samples,
  }
}

const inMs = (us: number | null): number | null => (us === null ? null : thousandths(us / 1000))
const thousandths = (figure: number): number => Math.round(figure * 1000) / 1000
