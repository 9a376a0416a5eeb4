// How long things took, in fixed buckets, by the name of what was done.
import { labels, type Sample } from './format.ts'

const BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const

interface Counted {
  readonly buckets: number[]
  sum: number
  count: number
}

export class Histogram {
  readonly #label: string
  readonly #byName = new Map<string, Counted>()

  constructor(label: string) {
    this.#label = label
  }

  observe(name: string, seconds: number): void {
    const counted = this.#byName.get(name) ?? { buckets: BUCKETS_S.map(() => 0), sum: 0, count: 0 }
    this.#byName.set(name, counted)
    counted.sum += seconds
    counted.count += 1
    BUCKETS_S.forEach((most, at) => {
      if (seconds <= most) counted.buckets[at] = (counted.buckets[at] ?? 0) + 1
    })
  }

  /** Buckets are cumulative, and OpenMetrics writes their bounds as floating-point numbers. */
  *samples(): Iterable<Sample> {
    for (const [name, { buckets, sum, count }] of this.#byName) {
      const own = { [this.#label]: name }
      for (const [at, most] of BUCKETS_S.entries())
        yield { suffix: '_bucket', labels: labels({ ...own, le: asFloat(most) }), value: buckets[at] ?? 0 }
      yield { suffix: '_bucket', labels: labels({ ...own, le: '+Inf' }), value: count }
      yield { suffix: '_sum', labels: labels(own), value: sum }
      yield { suffix: '_count', labels: labels(own), value: count }
    }
  }
}

const asFloat = (value: number): string => (Number.isInteger(value) ? `${value}.0` : String(value))
