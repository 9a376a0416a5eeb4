// Schedules thousands of senders with one timer: a binary heap ordered by when each is due.
import type { Clock } from './clock.ts'

export interface Timed {
  /** Does what is due and returns when it is due next; null: never. */
  step(now: number): number | null
}

interface Entry {
  at: number
  readonly timed: Timed
  isGone: boolean
}

/** All that is due within it is done in one turn of the event loop. */
const GRID_MS = 20
/** Steps of one turn; other work of the event loop must get its share. */
const STEPS_MAX = 256

export class Schedule {
  readonly #clock: Clock
  readonly #before: () => void
  readonly #heap: Entry[] = []
  readonly #entries = new Map<Timed, Entry>()
  #callOff: () => void = () => undefined
  #wakesAt = Infinity

  /** `before` is called at the start of each turn. */
  constructor(clock: Clock, before: () => void) {
    this.#clock = clock
    this.#before = before
  }

  add(timed: Timed, at: number): void {
    const entry = { at, timed, isGone: false }
    this.#entries.set(timed, entry)
    this.#push(entry)
    this.#arm()
  }

  remove(timed: Timed): void {
    const entry = this.#entries.get(timed)
    if (!entry) return
    entry.isGone = true
    this.#entries.delete(timed)
    if (this.#heap.length > 2 * this.#entries.size + STEPS_MAX || this.#entries.size === 0) this.#sweep()
  }

  /** Removed entries stay in the heap until they are due, which can be an hour. */
  #sweep(): void {
    for (const entry of this.#heap.splice(0)) if (!entry.isGone) this.#push(entry)
    this.#arm()
  }

  #turn(): void {
    this.#wakesAt = Infinity
    this.#before()
    const now = this.#clock.now()
    for (let steps = 0; steps < STEPS_MAX && (this.#heap[0]?.at ?? Infinity) <= now; steps += 1) {
      const entry = this.#pop()
      if (entry && !entry.isGone) this.#step(entry, now)
    }
    this.#arm()
  }

  #step(entry: Entry, now: number): void {
    const next = entry.timed.step(now)
    if (entry.isGone) return
    if (next === null) return void this.#entries.delete(entry.timed)
    entry.at = next
    this.#push(entry)
  }

  #arm(): void {
    const at = this.#heap[0]?.at ?? Infinity
    if (at === this.#wakesAt) return
    this.#callOff()
    this.#wakesAt = at
    if (at === Infinity) return
    const now = this.#clock.now()
    this.#callOff = this.#clock.after(Math.max(1, Math.ceil(at / GRID_MS) * GRID_MS - now), () => this.#turn())
  }

  #push(entry: Entry): void {
    const heap = this.#heap
    let at = heap.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#due(parent) <= entry.at) break
      this.#swap(at, parent)
      at = parent
    }
  }

  #pop(): Entry | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (heap.length === 0 || !last) return first
    heap[0] = last
    for (let at = 0; ;) {
      const left = 2 * at + 1
      const least = this.#due(left + 1) < this.#due(left) ? left + 1 : left
      if (this.#due(least) >= last.at) return first
      this.#swap(at, least)
      at = least
    }
  }

  #due(at: number): number {
    return this.#heap[at]?.at ?? Infinity
  }

  #swap(a: number, b: number): void {
    const [x, y] = [this.#heap[a], this.#heap[b]]
    if (x && y) [this.#heap[a], this.#heap[b]] = [y, x]
  }
}
