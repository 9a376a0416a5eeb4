// Counts events per key over the last span of time, so that no boundary lets twice the limit through.
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

  /** Seconds until one more event fits; 0 where it fits now. */
  secondsToWait(key: string): number {
    const events = this.#recent(key)
    const oldest = events.at(-this.#limit())
    return oldest === undefined ? 0 : Math.max(1, Math.ceil((oldest + this.#spanMs - this.#now().getTime()) / 1000))
  }

  add(key: string): void {
    if (this.#events.size >= this.#sweepAt) this.#sweep()
    this.#events.set(key, [...this.#recent(key), this.#now().getTime()])
  }

  /** Takes the latest event back: it turned out not to count. */
  takeBack(key: string): void {
    this.#events.set(key, this.#recent(key).slice(0, -1))
  }

  #recent(key: string): number[] {
    const since = this.#now().getTime() - this.#spanMs
    return (this.#events.get(key) ?? []).filter((at) => at > since)
  }

  #sweep(): void {
    for (const key of this.#events.keys()) if (this.#recent(key).length === 0) this.#events.delete(key)
    // Where all of them are recent, sweeping again for each would be in vain.
    this.#sweepAt = Math.max(SWEEP_AT, 2 * this.#events.size)
  }
}

/** Keys come from strangers; above this many the expired ones are dropped. */
const SWEEP_AT = 1000
