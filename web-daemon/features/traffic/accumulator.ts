// The traffic total of one rule: every increase of the kernel's counter is added once, even if the counter is
// recreated. Pure.
import { atLeastNothing, isBelow, minus, most, NOTHING, plus, type TrafficDelta } from './delta.ts'

/** A stored total: the panel's, and the kernel's counter at that moment. */
export interface StoredTotal {
  readonly total: TrafficDelta
  readonly counter: TrafficDelta
  /** Identifies the table that the counter was in; "" before the first reading. */
  readonly epoch: string
  /** The same of the fast path, which connection tracking counts. */
  readonly fast: TrafficDelta
  readonly fast_epoch: string
  /** What a counter had counted of flows that connection tracking counts too. */
  readonly twice: TrafficDelta
}

const EMPTY: StoredTotal = {
  total: NOTHING,
  counter: NOTHING,
  epoch: '',
  fast: NOTHING,
  fast_epoch: '',
  twice: NOTHING,
}

export class CounterAccumulator {
  #total: TrafficDelta
  #counter: TrafficDelta
  #epoch: string
  #fast: TrafficDelta
  #fastEpoch: string
  #twice: TrafficDelta
  #owed: TrafficDelta = NOTHING

  constructor({ total, counter, epoch, fast, fast_epoch, twice }: StoredTotal = EMPTY) {
    this.#total = total
    this.#counter = counter
    this.#epoch = epoch
    this.#fast = fast
    this.#fastEpoch = fast_epoch
    this.#twice = twice
  }

  get sum(): StoredTotal {
    return {
      total: this.#total,
      counter: this.#counter,
      epoch: this.#epoch,
      fast: plus(this.#fast, this.#owed),
      fast_epoch: this.#fastEpoch,
      twice: this.#twice,
    }
  }

  get total(): TrafficDelta {
    return this.#total
  }

  /** What the kernel has counted, as last read: on the slow path and on the fast one, where no packet is in both. */
  get counter(): TrafficDelta {
    return plus(this.#counter, atLeastNothing(minus(this.#fast, this.#twice)))
  }

  /** The kernel has counted less than the panel has summed up: its counter began again at some time. */
  get isReset(): boolean {
    return isBelow(this.counter, this.#total)
  }

  /** Returns the increase since the last reading. `twice` is null where no flow has been on the fast path. */
  read(counter: TrafficDelta, epoch: string, twice: TrafficDelta | null = null): TrafficDelta {
    const isNew = this.#epoch !== '' && epoch !== this.#epoch
    const delta = since(isNew ? NOTHING : this.#counter, counter)
    if (twice) this.#owe(since(isNew ? NOTHING : this.#twice, twice))
    this.#counter = counter
    this.#twice = twice ?? NOTHING
    this.#epoch = epoch
    return this.#add(delta)
  }

  /**
   * What connection tracking has counted. Within one epoch it only rises, so what is less is a flow whose end is still
   * on its way, or what is owed.
   */
  readFast(carried: TrafficDelta, epoch: string): TrafficDelta {
    const isNew = this.#fastEpoch !== '' && epoch !== this.#fastEpoch
    const before = plus(isNew ? NOTHING : this.#fast, this.#owed)
    this.#owed = NOTHING
    this.#fast = most(carried, before)
    this.#fastEpoch = epoch
    return this.#add(minus(this.#fast, before))
  }

  /** The last reading of a counter that has been removed: the next one starts at zero. */
  readLast(counter: TrafficDelta, twice: TrafficDelta | null = null): TrafficDelta {
    const delta = since(this.#counter, counter)
    if (twice) this.#owe(since(this.#twice, twice))
    this.#counter = NOTHING
    this.#twice = NOTHING
    return this.#add(delta)
  }

  /**
   * What a counter and connection tracking have both counted is taken off what the latter is found to have counted
   * next.
   */
  #owe(twice: TrafficDelta): void {
    this.#owed = plus(this.#owed, twice)
  }

  #add(delta: TrafficDelta): TrafficDelta {
    this.#total = plus(this.#total, delta)
    return delta
  }
}

/** One that has less than before began again from zero. */
const since = (before: TrafficDelta, now: TrafficDelta): TrafficDelta =>
  isBelow(now, before) ? now : minus(now, before)

/** A new one where the rule has none. */
export function accumulatorFor(
  accumulators: Map<number, CounterAccumulator>,
  route_rule_id: number,
): CounterAccumulator {
  const stored = accumulators.get(route_rule_id)
  if (stored) return stored
  const accumulator = new CounterAccumulator()
  accumulators.set(route_rule_id, accumulator)
  return accumulator
}
