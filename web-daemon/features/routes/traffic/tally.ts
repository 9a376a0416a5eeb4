// The sums of one rule: what the kernel's counter moved is added once, whenever the counter was made anew in between. Pure of time and I/O.
import { isBelow, minus, NOTHING, perSecond, plus, type Moved } from './moved.ts'

/** As it is stored: the panel's total, and the kernel's counter as it stood when that was summed up. */
export interface Sum {
  readonly total: Moved
  readonly seen: Moved
  /** Of the table that the counter was in; "" before any was seen. */
  readonly epoch: string
}

export class Tally {
  #total: Moved
  #seen: Moved
  #epoch: string
  #sinceSample: Moved = NOTHING
  #rate: Moved | null = null
  #isReset = false

  constructor({ total, seen, epoch }: Sum = { total: NOTHING, seen: NOTHING, epoch: '' }) {
    this.#total = total
    this.#seen = seen
    this.#epoch = epoch
  }

  get sum(): Sum {
    return { total: this.#total, seen: this.#seen, epoch: this.#epoch }
  }

  get total(): Moved {
    return this.#total
  }

  /** The kernel's own figure, as last read. */
  get counter(): Moved {
    return this.#seen
  }

  /** A second; null before there are two samples. */
  get rate(): Moved | null {
    return this.#rate
  }

  get isReset(): boolean {
    return this.#isReset
  }

  /** Gives back what moved since the counter was read last. */
  read(counter: Moved, epoch: string): Moved {
    this.#isReset = (this.#epoch !== '' && epoch !== this.#epoch) || isBelow(counter, this.#seen)
    const moved = this.#isReset ? counter : minus(counter, this.#seen)
    this.#seen = counter
    this.#epoch = epoch
    return this.#add(moved)
  }

  /** The counter was read for the last time and is no more: the next one begins at zero. */
  readLast(counter: Moved): Moved {
    const moved = isBelow(counter, this.#seen) ? counter : minus(counter, this.#seen)
    this.#seen = NOTHING
    return this.#add(moved)
  }

  /** Ends an interval. `seconds` null: there was no sample before this one. Gives back what moved within it. */
  endInterval(seconds: number | null): Moved {
    const moved = this.#sinceSample
    this.#rate = seconds === null ? null : perSecond(moved, seconds)
    this.#sinceSample = NOTHING
    return moved
  }

  #add(moved: Moved): Moved {
    this.#total = plus(this.#total, moved)
    this.#sinceSample = plus(this.#sinceSample, moved)
    return moved
  }
}
