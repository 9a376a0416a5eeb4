// The time that the sampling runs by.
export interface Clock {
  /** Milliseconds that no setting of the host's clock moves. */
  readonly monotonic: () => number
  /** Gives back what calls it off. */
  readonly after: (ms: number, work: () => void) => () => void
}

export const systemClock: Clock = {
  monotonic: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
}
