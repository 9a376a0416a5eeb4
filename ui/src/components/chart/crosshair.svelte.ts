// The instant that the pointer or the keyboard is at, the same on all plots of a page.
import { indexAt, type TimeRange } from './plot.ts'

class Crosshair {
  /** Seconds since 1970; null: nowhere. */
  time = $state<number | null>(null)
}

export const crosshair = new Crosshair()

/** The index of what a plot of these times shows there; -1 where it spans another time. */
export const crosshairIndex = (times: readonly number[], { from, to }: TimeRange): number =>
  crosshair.time !== null && crosshair.time >= from && crosshair.time <= to ? indexAt(times, crosshair.time) : -1
