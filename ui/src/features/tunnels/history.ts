// The stored points of a tunnel as the state bar shows them.
import type { MonitorPoint } from '@panel/shared/api/monitor.ts'
import type { MonitorState } from '@panel/shared/api/base/lookups.ts'
import type { TimeRange } from '../../components/chart/plot.ts'
import { startOf } from '../../components/chart/stored-points.ts'

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

/** Whether anything is known of the interval: the panel keeps those in which it could measure nothing, too. */
export const isMeasured = (point: MonitorPoint): boolean =>
  point.sent_count > 0 || point.rx_bytes !== null || point.up_seconds + point.degraded_seconds + point.down_seconds > 0
