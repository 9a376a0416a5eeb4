// The stored points of a tunnel as charts and the state bar show them.
import type { MonitorPoint } from '@panel/shared/api/monitor.ts'
import type { MonitorState } from '@panel/shared/api/base/lookups.ts'
import type { TimeRange } from '../../components/plot.ts'
import type { ByteCount } from '../../components/rates.ts'

/** Seconds since 1970. */
export const startOf = ({ bucket_start }: MonitorPoint): number => Date.parse(bucket_start) / 1000

/** A null follows what nothing was stored after, so that no line crosses the gap. */
export const withGaps = (
  points: readonly MonitorPoint[],
  resolution_seconds: number,
): { readonly times: number[]; readonly points: (MonitorPoint | null)[] } => {
  const filled = points.flatMap((point, at): [number, MonitorPoint | null][] => {
    const [start, next] = [startOf(point), points[at + 1]]
    const isGap = next !== undefined && startOf(next) > start + resolution_seconds
    return isGap
      ? [
          [start, point],
          [start + resolution_seconds, null],
        ]
      : [[start, point]]
  })
  return { times: filled.map(([time]) => time), points: filled.map(([, point]) => point) }
}

export const countsOf = (points: readonly MonitorPoint[]): ByteCount[] =>
  points.map((point) => ({ start: startOf(point), rx_bytes: point.rx_bytes, tx_bytes: point.tx_bytes }))

export interface Stretch extends TimeRange {
  readonly state: MonitorState
}

/** Within the range; neighbours of one state are one. */
export const stretches = (points: readonly MonitorPoint[], resolution_seconds: number, range: TimeRange): Stretch[] =>
  points.reduce<Stretch[]>((all, point) => {
    const start = startOf(point)
    const [from, to] = [Math.max(start, range.from), Math.min(start + resolution_seconds, range.to)]
    const last = all.at(-1)
    if (from >= to) return all
    return last?.state === point.worst_state && last.to === from
      ? [...all.slice(0, -1), { ...last, to }]
      : [...all, { state: point.worst_state, from, to }]
  }, [])

export interface Uptime {
  /** In per cent of the time that was measured; null where none was. */
  readonly share: number | null
  readonly states: readonly { readonly state: MonitorState; readonly seconds: number }[]
  readonly unmeasured_seconds: number
}

/** The same share of the same measurements, whatever the span and the resolution. */
export const uptime = (points: readonly MonitorPoint[], { from, to }: TimeRange): Uptime => {
  const sum = (of: 'up_seconds' | 'degraded_seconds' | 'down_seconds'): number =>
    points.reduce((seconds, point) => seconds + point[of], 0)
  const states = (
    [
      { state: 'Up', seconds: sum('up_seconds') },
      { state: 'Degraded', seconds: sum('degraded_seconds') },
      { state: 'Down', seconds: sum('down_seconds') },
    ] as const
  ).filter(({ seconds }) => seconds > 0)
  const measured = states.reduce((all, { seconds }) => all + seconds, 0)
  return {
    share: measured === 0 ? null : 100 * (1 - sum('down_seconds') / measured),
    states,
    unmeasured_seconds: Math.max(0, to - from - measured),
  }
}
