// Labels, formats and chart series of the host metrics.
import type { DiskReading, HostHistoryAnswer, InterfaceReading, RouteReading } from '@panel/shared/api/metrics.ts'
import type { Series } from '../../components/chart/chart.ts'
import { ratesOf } from '../../components/chart/rates.ts'
import { countsOf, withGaps } from '../../components/chart/stored-points.ts'
import type { StateLabel } from '../../components/state.ts'
import { display } from '../../core/display.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import type { Reading } from '../../core/live.svelte.ts'

/** Readings per sparkline. */
export const RECENT = 60

export const levelLabel = ({ level }: DiskReading): StateLabel => ({
  state: ({ ok: 'up', warn: 'degraded', critical: 'down' } as const)[level],
  label: t(`metrics.level.${level}`),
})

export const linkLabel = ({ is_up, oper_state }: Pick<InterfaceReading, 'is_up' | 'oper_state'>): StateLabel => {
  if (!is_up) return { state: 'disabled', label: t('metrics.link.off') }
  if (oper_state === 'UP' || oper_state === 'UNKNOWN') return { state: 'up', label: t('metrics.link.up') }
  return { state: 'down', label: t('metrics.link.as', { state: oper_state }) }
}

/** Null is unknown, not zero. */
export const formatRate = (rate: number | null): string => (rate === null ? '–' : display.format.rate(rate))
export const formatCount = (count: number | null, digits = 0): string =>
  count === null ? '–' : display.format.number(count, digits)

export const byRate = (a: RouteReading, b: RouteReading): number => totalRate(a) - totalRate(b)
export const totalRate = ({
  rx_bytes_per_second,
  tx_bytes_per_second,
}: Pick<RouteReading, 'rx_bytes_per_second' | 'tx_bytes_per_second'>): number =>
  (rx_bytes_per_second ?? 0) + (tx_bytes_per_second ?? 0)

export interface Timeline {
  readonly times: readonly number[]
  readonly series: readonly Series[]
}

const timeline = (
  points: readonly Reading[],
  lines: readonly { title: string; colour: Series['colour']; of: (point: Reading) => number }[],
): Timeline => ({
  times: points.map(({ at }) => Date.parse(at) / 1000),
  series: lines.map(({ title, colour, of }) => ({ title, colour, values: points.map(of) })),
})

export const loadTimeline = (points: readonly Reading[]): Timeline =>
  timeline(points, [
    { title: t('metrics.cpu'), colour: 'accent', of: ({ cpu }) => cpu[0]?.usage_percent ?? 0 },
    { title: t('metrics.memory'), colour: 'degraded', of: ({ memory }) => memory.used_percent },
  ])

export const trafficTimeline = (points: readonly Reading[]): Timeline =>
  timeline(points, [
    { title: t('metrics.received'), colour: 'accent', of: ({ network }) => network.totals.rx_bytes_per_second },
    { title: t('metrics.sent'), colour: 'up', of: ({ network }) => network.totals.tx_bytes_per_second },
  ])

export const relayTimeline = (points: readonly Reading[]): Timeline =>
  timeline(points, [
    { title: t('metrics.received'), colour: 'accent', of: ({ route_totals }) => route_totals.rx_bytes_per_second },
    { title: t('metrics.sent'), colour: 'up', of: ({ route_totals }) => route_totals.tx_bytes_per_second },
  ])

export const storedLoad = (answer: HostHistoryAnswer): Timeline => {
  const { times, points } = withGaps(answer.points, answer.resolution_seconds)
  return {
    times,
    series: [
      { title: t('metrics.cpu'), colour: 'accent', values: points.map((one) => one?.cpu_avg_percent ?? null) },
      { title: t('metrics.cpu.peak'), colour: 'down', values: points.map((one) => one?.cpu_max_percent ?? null) },
      { title: t('metrics.memory'), colour: 'degraded', values: points.map((one) => one?.memory_avg_percent ?? null) },
      { title: t('metrics.disk'), colour: 'up', values: points.map((one) => one?.disk_max_percent ?? null) },
    ],
  }
}

/** The timeline of a history; `to` is the end of the last interval, in seconds since 1970. */
export const storedTraffic = ({ points, resolution_seconds }: HostHistoryAnswer, to: number): Timeline => {
  const rates = ratesOf(countsOf(points), resolution_seconds, to)
  return {
    times: rates.map(({ time }) => time),
    series: [
      { title: t('metrics.received'), colour: 'accent', values: rates.map(({ rx }) => rx) },
      { title: t('metrics.sent'), colour: 'up', values: rates.map(({ tx }) => tx) },
    ],
  }
}
