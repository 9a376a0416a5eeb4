// The traffic total of one rule: every increase of the kernel's counter is added once, even if the counter is
// recreated. Pure.
import { isBelow, minus, NOTHING, perSecond, plus, type TrafficDelta } from './delta.ts'

/** As stored: the panel's total, and the kernel's counter at that moment. */
export interface StoredTotal {
  readonly total: TrafficDelta
  readonly counter: TrafficDelta
  /** Identifies the table that the counter was in; "" before the first reading. */
  readonly epoch: string
}

export class CounterAccumulator {
  #total: TrafficDelta
  #counter: TrafficDelta
  #epoch: string
  #sinceSample: TrafficDelta = NOTHING
  #rate: TrafficDelta | null = null

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

  /** The kernel's counter, as last read. */
  get counter(): TrafficDelta {
    return this.#counter
  }

  /** Per second; null before there are two samples. */
  get rate(): TrafficDelta | null {
    return this.#rate
  }

  /** The kernel has counted less than the panel has summed up: its counter began anew at some time. */
  get isReset(): boolean {
    return isBelow(this.#counter, this.#total)
  }

  /** Returns the increase since the last reading. */
  read(counter: TrafficDelta, epoch: string): TrafficDelta {
    const isNew = (this.#epoch !== '' && epoch !== this.#epoch) || isBelow(counter, this.#counter)
    const delta = isNew ? counter : minus(counter, this.#counter)
    this.#counter = counter
    this.#epoch = epoch
    return this.#add(delta)
  }

  /** The last reading of a counter that has been removed: the next one starts at zero. */
  readLast(counter: TrafficDelta): TrafficDelta {
    const delta = isBelow(counter, this.#counter) ? counter : minus(counter, this.#counter)
    this.#counter = NOTHING
    return this.#add(delta)
  }

  /** Ends a sampling interval and returns its traffic. `seconds` null: there was no sample before. */
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
