// The items that a stream has not delivered yet. The queue is bounded: a slow reader loses items, and learns how many.
import { pause, type Clock } from './clock.ts'

export interface Taken<T> {
  readonly items: T[]
  readonly lost: number
}

export class Outbox<T> {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  readonly #most: number
  #items: T[] = []
  #lost = 0
  #isClosed = false
  #wake: () => void = () => undefined

  /** Closes with the signal. */
  constructor(clock: Clock, signal: AbortSignal, most: number) {
    this.#clock = clock
    this.#signal = signal
    this.#most = most
    signal.addEventListener('abort', () => this.close(), { once: true })
    if (signal.aborted) this.close()
  }

  push(item: T): void {
    if (this.#isClosed) return
    // Half of what waits gives way at once, since shifting an array one by one costs its length each time.
    if (this.#items.length >= this.#most) this.#lost += this.#items.splice(0, Math.ceil(this.#most / 2)).length
    this.#items.push(item)
    this.#wake()
  }

  /** Items that are already in it can still be taken. */
  close(): void {
    this.#isClosed = true
    this.#wake()
  }

  /** Waits for something, then for `gatherMs` more; null where it is closed and empty. */
  async take(most: number, gatherMs: number): Promise<Taken<T> | null> {
    if (this.#items.length === 0 && !this.#isClosed) await new Promise<void>((resolve) => (this.#wake = resolve))
    if (!this.#isClosed && this.#items.length < most && gatherMs > 0) await pause(this.#clock, gatherMs, this.#signal)
    if (this.#isClosed && this.#items.length === 0) return null
    const taken = { items: this.#items.splice(0, most), lost: this.#lost }
    this.#lost = 0
    return taken
  }
}
