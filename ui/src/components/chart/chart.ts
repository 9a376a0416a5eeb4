// Draws a chart with uPlot in the theme's colours.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { PLOT_BOTTOM, PLOT_END, PLOT_START, PLOT_TOP, shareAt, type TimeRange } from './plot.ts'

export interface Series {
  readonly title: string
  /** Null: no sample. */
  readonly values: readonly (number | null)[]
  readonly colour: 'accent' | 'up' | 'degraded' | 'down'
}

/** The data of a chart; it can change, the number of series cannot. */
export interface ChartData {
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[]
  readonly range: TimeRange
  readonly series: readonly Series[]
  /** Times of events. */
  readonly marks: readonly number[]
}

export interface ChartOptions extends ChartData {
  /** Draws each value as a dot, so that isolated values between gaps are visible. */
  readonly isDotted: boolean
  readonly format: (value: number) => string
  /** Grid steps; undefined: 1, 2, 2.5 or 5 times a power of ten. */
  readonly steps: readonly number[] | undefined
  readonly top: number | undefined
  readonly height: number
  readonly locale: string
  readonly theme: string
}

export interface Drawing {
  readonly update: (data: ChartData) => void
  readonly destroy: () => void
}

export const drawChart = (place: HTMLElement, options: ChartOptions): Drawing => {
  let { marks, range } = options
  const chart = new uPlot(
    uplotOptions(place, options, {
      marks: () => marks,
      range: () => [range.from, range.to],
    }),
    chartData(options),
    place,
  )
  const { height } = options
  const watch = new ResizeObserver(() => chart.setSize({ width: widthOf(place), height }))
  watch.observe(place)
  return {
    update: (data) => {
      ;({ marks, range } = data)
      chart.setData(chartData(data))
    },
    destroy: () => {
      watch.disconnect()
      chart.destroy()
    },
  }
}

const widthOf = ({ clientWidth }: HTMLElement): number => Math.max(200, clientWidth)

const uplotOptions = (
  place: HTMLElement,
  { isDotted, format, steps, top, height, locale, series }: ChartOptions,
  { marks, range }: { marks: () => ChartData['marks']; range: () => [number, number] },
): uPlot.Options => {
  const colour = colourOf(place)
  const axis = {
    stroke: colour('ink-soft'),
    font: `12px ${getComputedStyle(place).fontFamily}`,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
  }
  const line = (one: ChartData['series'][number]): uPlot.Series => ({
    stroke: colour(one.colour),
    width: 1.5,
    points: isDotted ? { show: true, size: 4, fill: colour(one.colour) } : { show: false },
    spanGaps: false,
  })
  return {
    width: widthOf(place),
    height,
    legend: { show: false },
    cursor: { show: false },
    padding: [PLOT_TOP, PLOT_END, 0, 0],
    scales: { x: { range }, y: { range: (_chart, _least, most) => [0, Math.max(top ?? 0, most ?? 0, 1e-9) * 1.05] } },
    axes: [
      { ...axis, space: 90, size: PLOT_BOTTOM, values: timeValues(axis.font, locale) },
      {
        ...axis,
        ...(steps ? { incrs: [...steps] } : {}),
        size: PLOT_START,
        values: (_chart, splits) => splits.map(format),
      },
    ],
    series: [{}, ...series.map(line)],
    hooks: { draw: [drawMarks(marks, colour('down'))] },
  }
}

/** A token may be light-dark(), which a canvas cannot parse: an element computes the colour. */
const colourOf =
  (place: HTMLElement) =>
  (name: string): string => {
    const probe = place.appendChild(document.createElement('span'))
    probe.style.setProperty('color', `var(--${name})`)
    const computed = getComputedStyle(probe).color
    probe.remove()
    return computed
  }

const timeValues = (font: string, locale: string): uPlot.Axis.DynamicValues => {
  const label = timeLabels(locale)
  return (chart, splits, _axis, _space, step) => withoutCut(chart, font, splits, label(splits, step))
}

/** Without a label at the end that the edge of the canvas would cut. */
const withoutCut = (
  { width, ctx, scales: { x } }: uPlot,
  font: string,
  splits: readonly number[],
  labels: readonly string[],
): string[] => {
  const range = { from: x?.min ?? 0, to: x?.max ?? 1 }
  const plot = width - PLOT_START - PLOT_END
  ctx.font = font
  const halfWidth = (text: string): number =>
    Math.max(...text.split('\n').map((line) => ctx.measureText(line).width)) / 2
  return labels.map((text, at) =>
    shareAt(splits[at] ?? 0, range) * plot + halfWidth(text) > plot + PLOT_END ? '' : text,
  )
}

const DAY_S = 86_400

/** The date stands below the first time and below the first of each day; steps of days have dates alone. */
const timeLabels = (locale: string) => {
  const [minutes, seconds] = ([undefined, '2-digit'] as const).map(
    (second) => new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second }),
  )
  const dates = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric' })
  /** The plot itself runs from left to right. */
  const date = (at: Date): string => (locale.startsWith('fa') ? `\u2067${dates.format(at)}\u2069` : dates.format(at))
  return (splits: readonly number[], step: number): string[] => {
    const days = splits.map((at) => date(new Date(at * 1000)))
    if (step >= DAY_S) return days
    const clock = step < 60 ? seconds : minutes
    return splits.map((at, index) => {
      const time = clock?.format(new Date(at * 1000)) ?? ''
      return days[index] === days[index - 1] ? time : `${time}\n${days[index]}`
    })
  }
}

/** A line from top to bottom at each mark. */
const drawMarks =
  (marks: () => readonly number[], colour: string) =>
  (chart: uPlot): void => {
    const { ctx, bbox } = chart
    ctx.save()
    ctx.strokeStyle = colour
    ctx.lineWidth = 2 * devicePixelRatio
    ctx.beginPath()
    for (const at of marks()) {
      const x = Math.round(chart.valToPos(at, 'x', true))
      ctx.moveTo(x, bbox.top)
      ctx.lineTo(x, bbox.top + bbox.height)
    }
    ctx.stroke()
    ctx.restore()
  }

const chartData = ({ times, series }: ChartData): uPlot.AlignedData =>
  [times, ...series.map(({ values }) => values)] as uPlot.AlignedData
