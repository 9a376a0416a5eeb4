// How long the next look at the host waits, so that a program that changes it all the time costs little and a single
// change is seen at once. Where a look takes long, nobody waits for longer than `MOST_MS` all the same.

/** So much looking is free, before rest follows. */
const SPARED_MS = 10_000
export const MOST_MS = 10_000
/** Looking takes a tenth of the time of a host that another program changes all the time. */
export const REST_FACTOR = 9

export class Rest {
  readonly #factor: number
  readonly #now: () => number
  #left = SPARED_MS
  #at: number

  /** Looking takes one part in `factor` + 1 of a long time. */
  constructor(factor: number, now: () => number = () => performance.now()) {
    this.#factor = factor
    this.#now = now
    this.#at = now()
  }

  looked(took_ms: number): void {
    this.#refill()
    // What is owed is no more than what is rested for it.
    this.#left = Math.max(this.#left - took_ms, -MOST_MS / (this.#factor + 1))
  }

  get ms(): number {
    this.#refill()
    return this.#factor === 0 ? 0 : Math.max(0, -this.#left * (this.#factor + 1))
  }

  #refill(): void {
    const now = this.#now()
    this.#left = Math.min(SPARED_MS, this.#left + (now - this.#at) / (this.#factor + 1))
    this.#at = now
  }
}
