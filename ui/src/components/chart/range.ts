// The time that the charts of a page show, as its address says it: one of some lengths up to now, or a beginning and an
// end.
import type { TimeRange } from './plot.ts'

/** Seconds up to now. */
export const PRESETS = {
  live: 600,
  '15m': 900,
  '1h': 3600,
  '6h': 21_600,
  '24h': 86_400,
  '7d': 604_800,
  '30d': 2_592_000,
  '90d': 7_776_000,
} as const

export type Preset = keyof typeof PRESETS

/** How often a stored history is requested while it is live. */
export const LIVE_MS = 5000

const USUAL: Preset = '24h'
const MINUTE_S = 60
const SHORTEST_S = 5 * MINUTE_S
export const LONGEST_S = PRESETS['90d']
/** Seconds that a point of a chart may stand for, so that there are a few hundred of them. */
const STEPS = [60, 300, 900, 1800, 3600, 7200, 21_600] as const
const POINTS = 400

export interface ChosenRange extends TimeRange {
  /** Null: a beginning and an end of the operator's own. */
  readonly preset: Preset | null
  /** Seconds per point. */
  readonly resolution: number
}

/** `now` in seconds since 1970. What up to now ends on a whole minute, so that its query stays cached. */
export const chosenRange = (search: URLSearchParams, now: number): ChosenRange => {
  const own = ownRange(search, now)
  if (own) return { ...own, preset: null, resolution: resolutionOf(own) }
  const preset = presetOf(search.get('range'))
  const to = preset === 'live' ? Math.ceil(now) : Math.ceil(now / MINUTE_S) * MINUTE_S
  const range = { from: to - PRESETS[preset], to }
  return { ...range, preset, resolution: resolutionOf(range) }
}

const presetOf = (name: string | null): Preset =>
  name !== null && Object.hasOwn(PRESETS, name) ? (name as Preset) : USUAL

const ownRange = (search: URLSearchParams, now: number): TimeRange | null => {
  const [from, to] = ['from', 'to'].map((name) => Date.parse(search.get(name) ?? '') / 1000)
  return from !== undefined && to !== undefined && from < to ? bounded({ from, to }, now) : null
}

const resolutionOf = ({ from, to }: TimeRange): number =>
  STEPS.find((step) => (to - from) / step <= POINTS) ?? STEPS[STEPS.length - 1] ?? MINUTE_S

/** In whole minutes, neither too short nor too long for a chart, and not after now. */
export const bounded = ({ from, to }: TimeRange, now: number): TimeRange => {
  const lacking = Math.max(0, SHORTEST_S - (to - from))
  const last = Math.min(to + lacking / 2, now)
  const end = Math.ceil(last / MINUTE_S) * MINUTE_S
  const start = Math.floor(Math.min(from, last - SHORTEST_S) / MINUTE_S) * MINUTE_S
  return { from: Math.max(start, end - LONGEST_S), to: end }
}

/** Around its middle, but not after now: above 1 shows more time, below 1 less. */
export const zoomed = ({ from, to }: TimeRange, times: number, now: number): TimeRange => {
  const [middle, half] = [(from + to) / 2, ((to - from) * times) / 2]
  const late = Math.max(0, middle + half - now)
  return bounded({ from: middle - half - late, to: middle + half - late }, now)
}

/** Parameters of the address; "" removes one. */
export const searchOf = (range: Preset | TimeRange): Readonly<Record<'range' | 'from' | 'to', string>> =>
  typeof range === 'string'
    ? { range: range === USUAL ? '' : range, from: '', to: '' }
    : { range: '', from: minuteOf(range.from), to: minuteOf(range.to) }

const minuteOf = (time: number): string => `${new Date(time * 1000).toISOString().slice(0, 16)}Z`

/** The query of a stored history. What is live begins on a whole minute too. */
export const historyQuery = ({
  from,
  to,
  preset,
  resolution,
}: ChosenRange): { readonly from: string; readonly to?: string; readonly resolution_seconds: number } => ({
  from: minuteOf(Math.floor(from / MINUTE_S) * MINUTE_S),
  ...(preset === null ? { to: minuteOf(to) } : {}),
  resolution_seconds: resolution,
})
