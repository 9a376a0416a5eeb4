// Counts events per key over a sliding time span, so that no boundary allows twice the limit.
export class SlidingWindow {
  readonly #limit: () => number
  readonly #spanMs: number
  readonly #now: () => Date
  readonly #events = new Map<string, number[]>()
  #sweepAt = SWEEP_AT

  constructor(limit: number | (() => number), spanMs: number, now: () => Date) {
    this.#limit = typeof limit === 'number' ? () => limit : limit
    this.#spanMs = spanMs
    this.#now = now
  }

  /** Seconds until the next event is allowed; 0 if it is now. */
  secondsToWait(key: string): number {
    const events = this.#recent(key)
    const oldest = events.at(-this.#limit())
    return oldest === undefined ? 0 : Math.max(1, Math.ceil((oldest + this.#spanMs - this.#now().getTime()) / 1000))
  }

  add(key: string): void {
    if (this.#events.size >= this.#sweepAt) this.#sweep()
    this.#events.set(key, [...this.#recent(key), this.#now().getTime()])
  }

  /** Removes the latest event, which does not count after all. */
  takeBack(key: string): void {
    this.#events.set(key, this.#recent(key).slice(0, -1))
  }

  /** An event of a time to come is one from when the clock was ahead, and makes nobody wait for that time. */
  #recent(key: string): number[] {
    const now = this.#now().getTime()
    return (this.#events.get(key) ?? []).filter((at) => at > now - this.#spanMs && at <= now)
  }

  #sweep(): void {
    for (const key of this.#events.keys()) if (this.#recent(key).length === 0) this.#events.delete(key)
    // If all keys are recent, sweeping again for each new one would be useless.
    this.#sweepAt = Math.max(SWEEP_AT, 2 * this.#events.size)
  }
}

/** Keys come from anonymous clients; above this many, expired ones are removed. */
const SWEEP_AT = 1000
