// The sums of one rule: what the kernel's counter moved is added once, whenever the counter was made anew in between. Pure of time and I/O.
import { isBelow, minus, NOTHING, perSecond, plus, type TrafficDelta } from './delta.ts'

/** As it is stored: the panel's total, and the kernel's counter as it stood when that was summed up. */
export interface StoredTotal {
  readonly total: TrafficDelta
  readonly counter: TrafficDelta
  /** Of the table that the counter was in; "" before any was seen. */
  readonly epoch: string
}

export class CounterAccumulator {
  #total: TrafficDelta
  #counter: TrafficDelta
  #epoch: string
  #sinceSample: TrafficDelta = NOTHING
  #rate: TrafficDelta | null = null
  #isReset = false

  constructor({ total, counter, epoch }: StoredTotal = { total: NOTHING, counter: NOTHING, epoch: '' }) {
    this.#total = total
    this.#counter = counter
    this.#epoch = epoch
  }

  get sum(): StoredTotal {
    return { total: this.#total, counter: this.#counter, epoch: this.#epoch }
  }

  get total(): TrafficDelta {
    return this.#total
  }

  /** The kernel's own figure, as last read. */
  get counter(): TrafficDelta {
    return this.#counter
  }

  /** A second; null before there are two samples. */
  get rate(): TrafficDelta | null {
    return this.#rate
  }

  get isReset(): boolean {
    return this.#isReset
  }

  /** Gives back what moved since the counter was read last. */
  read(counter: TrafficDelta, epoch: string): TrafficDelta {
    this.#isReset = (this.#epoch !== '' && epoch !== this.#epoch) || isBelow(counter, this.#counter)
    const delta = this.#isReset ? counter : minus(counter, this.#counter)
    this.#counter = counter
    this.#epoch = epoch
    return this.#add(delta)
  }

  /** The counter was read for the last time and is no more: the next one begins at zero. */
  readLast(counter: TrafficDelta): TrafficDelta {
    const delta = isBelow(counter, this.#counter) ? counter : minus(counter, this.#counter)
    this.#counter = NOTHING
    return this.#add(delta)
  }

  /** Ends an interval. `seconds` null: there was no sample before this one. Gives back what moved within it. */
  endInterval(seconds: number | null): TrafficDelta {
    const delta = this.#sinceSample
    this.#rate = seconds === null ? null : perSecond(delta, seconds)
    this.#sinceSample = NOTHING
    return delta
  }

  #add(delta: TrafficDelta): TrafficDelta {
    this.#total = plus(this.#total, delta)
    this.#sinceSample = plus(this.#sinceSample, delta)
    return delta
  }
}
