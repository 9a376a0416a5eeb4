// CLOCK_MONOTONIC in milliseconds: one for all processes of a boot, and nobody can set it.
import type { Clock } from '../path/clock.ts'

export const bootClock: Clock = {
  now: () => Number(process.hrtime.bigint() / 1_000_000n),
  epoch: () => Date.now(),
  after(ms, what) {
    const timer = setTimeout(what, ms).unref()
    return () => clearTimeout(timer)
  },
}
