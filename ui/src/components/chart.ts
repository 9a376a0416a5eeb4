// Draws a chart with uPlot: colours from the page's own tokens, lines only, no styles of its own in the document.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

export interface Series {
  readonly title: string
  /** Null: nothing is known of that time. */
  readonly values: readonly (number | null)[]
  readonly colour: 'accent' | 'up' | 'degraded' | 'down'
}

export interface ChartParts {
  readonly times: readonly number[]
  readonly series: readonly Series[]
  readonly spell: (value: number) => string
  readonly top: number | undefined
  readonly height: number
  readonly locale: string
  readonly theme: string
}

export const drawChart = (place: HTMLElement, { times, series, spell, top, height, locale }: ChartParts): { destroy: () => void } => {
  const style = getComputedStyle(place)
  /** A token may be light-dark(), which a canvas does not know: what the browser makes of it is asked of an element. */
  const colour = (name: string): string => {
    const probe = place.appendChild(document.createElement('span'))
    probe.style.setProperty('color', `var(--${name})`)
    const told = getComputedStyle(probe).color
    probe.remove()
    return told
  }
  const [ink, line] = [colour('ink-soft'), colour('line')]
  const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
  const axis = { stroke: ink, font: `12px ${style.fontFamily}`, grid: { stroke: line, width: 1 }, ticks: { show: false } }
  const chart = new uPlot(
    {
      width: Math.max(200, place.clientWidth),
      height,
      legend: { show: false },
      cursor: { show: false },
      scales: { y: { range: (_chart, _least, most) => [0, Math.max(top ?? 0, most ?? 0, 1e-9) * 1.05] } },
      axes: [{ ...axis, space: 90, values: (_chart, splits) => splits.map((at) => clock.format(new Date(at * 1000))) }, { ...axis, size: 72, values: (_chart, splits) => splits.map(spell) }],
      series: [{}, ...series.map((one) => ({ stroke: colour(one.colour), width: 1.5, points: { show: false }, spanGaps: false }))],
    },
    [times, ...series.map(({ values }) => values)] as uPlot.AlignedData,
    place,
  )
  const watch = new ResizeObserver(() => chart.setSize({ width: Math.max(200, place.clientWidth), height }))
  watch.observe(place)
  return {
    destroy: () => {
      watch.disconnect()
      chart.destroy()
    },
  }
}
