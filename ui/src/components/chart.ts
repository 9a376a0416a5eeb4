// Draws a chart with uPlot in the theme's colours.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

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
  let { marks } = options
  const chart = new uPlot(
    uplotOptions(place, options, () => marks),
    chartData(options),
    place,
  )
  const { height } = options
  const watch = new ResizeObserver(() => chart.setSize({ width: widthOf(place), height }))
  watch.observe(place)
  return {
    update: (data) => {
      ;({ marks } = data)
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
  marks: () => ChartData['marks'],
): uPlot.Options => {
  const colour = colourOf(place)
  const axis = {
    stroke: colour('ink-soft'),
    font: `12px ${getComputedStyle(place).fontFamily}`,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
  }
  const label = timeLabels(locale)
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
    scales: { y: { range: (_chart, _least, most) => [0, Math.max(top ?? 0, most ?? 0, 1e-9) * 1.05] } },
    axes: [
      { ...axis, space: 90, values: (_chart, splits) => label(splits) },
      { ...axis, ...(steps ? { incrs: [...steps] } : {}), size: 72, values: (_chart, splits) => splits.map(format) },
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

/** Short ranges need seconds on the axis. */
const timeLabels = (locale: string) => {
  const [minutes, seconds] = [undefined, '2-digit' as const].map(
    (second) => new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second }),
  )
  return (splits: readonly number[]): string[] =>
    splits.map(
      (at) => ((splits.at(-1) ?? 0) - (splits[0] ?? 0) < 300 ? seconds : minutes)?.format(new Date(at * 1000)) ?? '',
    )
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
