// A clock that goes when the test says so, and what is to happen meanwhile happens in order.
import type { Clock } from '@panel/root-helper/path/clock.ts'

interface Alarm {
  readonly at: number
  readonly what: () => void
}

export class FakeClock implements Clock {
  #now = 0
  readonly #alarms = new Set<Alarm>()

  get alarms(): number {
    return this.#alarms.size
  }

  now(): number {
    return this.#now
  }

  epoch(): number {
    return 1_700_000_000_000 + this.#now
  }

  after(ms: number, what: () => void): () => void {
    const alarm = { at: this.#now + ms, what }
    this.#alarms.add(alarm)
    return () => void this.#alarms.delete(alarm)
  }

  /** Promises that follow from an alarm are settled before the next one. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    await settled()
    for (let next = this.#next(until); next; next = this.#next(until)) {
      this.#alarms.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.what()
      await settled()
    }
    this.#now = until
  }

  /** Lets time pass while the process stands still: what was due meanwhile happens late. */
  stall(ms: number): void {
    this.#now += ms
  }

  #next(until: number): Alarm | null {
    let first: Alarm | null = null
    for (const alarm of this.#alarms) if (alarm.at <= until && (!first || alarm.at < first.at)) first = alarm
    return first
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
