// The intervals of a series that are not stored yet, or only in part.
import { joinIntervals, type Interval, type Series } from './series.ts'

export class UnsavedIntervals<B extends Interval> {
  readonly #series: Series<B>
  readonly #most: number
  readonly #intervals = new Map<string, B>()

  /** `most`: so many are kept while the store cannot be written, the newest. */
  constructor(series: Series<B>, most = Number.POSITIVE_INFINITY) {
    this.#series = series
    this.#most = most
  }

  /** Oldest first. */
  get all(): B[] {
    return [...this.#intervals.values()].sort((a, b) => a.bucket_start - b.bucket_start)
  }

  has(interval: Partial<B> & Interval): boolean {
    return this.#intervals.has(this.#nameOf(interval))
  }

  add(part: B): void {
    const name = this.#nameOf(part)
    const before = this.#intervals.get(name)
    this.#intervals.set(name, before ? joinIntervals(this.#series, before, part) : part)
    if (this.#intervals.size > this.#most) for (const oldest of this.all.slice(0, -this.#most)) this.#remove(oldest)
  }

  /** Removes those for which it holds, and returns them, oldest first. Add those again that could not be stored. */
  take(isDue: (interval: B) => boolean): B[] {
    const due = this.all.filter(isDue)
    for (const interval of due) this.#remove(interval)
    return due
  }

  #remove(interval: B): void {
    this.#intervals.delete(this.#nameOf(interval))
  }

  #nameOf(interval: Partial<B> & Interval): string {
    const { key } = this.#series
    return key === null ? `${interval.bucket_start}` : `${String(interval[key])} ${interval.bucket_start}`
  }
}
