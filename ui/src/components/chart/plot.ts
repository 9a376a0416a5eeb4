// Where the plots of a page lie and what they show: all of them alike, so that one instant is one pixel in each.

/** Pixels left of a plot, where its figures stand, and right of it. */
export const PLOT_START = 72
export const PLOT_END = 16
/** Above it, and below it, where the times stand. */
export const PLOT_TOP = 8
export const PLOT_BOTTOM = 50

/** Seconds since 1970. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

/** The range from the first to the last of ascending times. */
export const rangeOf = (times: readonly number[]): TimeRange => {
  const from = times[0] ?? 0
  return { from, to: Math.max(times.at(-1) ?? 0, from + 1) }
}

/** 0 at the beginning of the range, 1 at its end. */
export const shareAt = (time: number, { from, to }: TimeRange): number => (time - from) / (to - from)

/** The index of the last of ascending times that is not later; 0 where all are. */
export const indexAt = (times: readonly number[], time: number): number => {
  let [low, high] = [0, times.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) <= time) low = middle
    else high = middle
  }
  return low
}
