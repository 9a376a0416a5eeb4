// The clock of the sampler; tests replace it.
export interface Clock {
  /** Milliseconds, unaffected by changes of the host's clock. */
  readonly monotonic: () => number
  /** Returns the function that cancels it. */
  readonly after: (ms: number, work: () => void) => () => void
}

export const systemClock: Clock = {
  monotonic: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
}
