// The last packets of a ping as chart data, at the time each was sent.
import type { DiagnosticRun, PingPacketEvent } from '@panel/shared/api/diagnostics.ts'

export interface PingTimeline {
  /** Seconds since 1970, as are `lost`. */
  readonly times: readonly number[]
  /** Null: no reply. */
  readonly rtts: readonly (number | null)[]
  readonly lost: readonly number[]
}

/** A chart cannot resolve more points. */
const SHOWN = 300

/** The packets by when they were sent: replies of one moment can come in any order. */
export const newestFirst = <P extends Pick<PingPacketEvent, 'sequence'>>(packets: readonly P[], most: number): P[] =>
  packets.slice(-most).sort((a, b) => b.sequence - a.sequence)

export const pingTimeline = (
  packets: readonly Pick<PingPacketEvent, 'sequence' | 'rtt_ms' | 'success'>[],
  run: Pick<DiagnosticRun, 'started_date' | 'params'> | null,
): PingTimeline => {
  const { interval_seconds = 1 } = (run?.params ?? {}) as { interval_seconds?: number }
  const initial = Date.parse(run?.started_date ?? '1970-01-01') / 1000
  const last = packets.slice(-SHOWN).sort((a, b) => a.sequence - b.sequence)
  const sentAt = ({ sequence }: (typeof last)[number]): number => initial + (sequence - 1) * interval_seconds
  return {
    times: last.map(sentAt),
    rtts: last.map(({ success, rtt_ms }) => (success ? rtt_ms : null)),
    lost: last.filter(({ success }) => !success).map(sentAt),
  }
}
