// The clock of the path checks: monotonic, and replaced by a fake one in tests.
export interface Clock {
  /** Milliseconds from some moment on. */
  now(): number
  /** Milliseconds since 1970, for people. */
  epoch(): number
  /** Returns the function that calls it off. */
  after(ms: number, what: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  epoch: () => Date.now(),
  after(ms, what) {
    const timer = setTimeout(what, ms)
    return () => clearTimeout(timer)
  },
}

/** Ends early with the signal. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const end = (): void => {
      callOff()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const callOff = clock.after(ms, end)
    signal.addEventListener('abort', end, { once: true })
  })
}
