// How much of the requests of all connections is under way at once. The rest waits on the far end's side, where it
// takes no memory of root.

export interface Limits {
  readonly requests: number
  /** The length of those requests' lines; what is made of a line takes several times its length. */
  readonly bytes: number
  /** One connection leaves room for the others. */
  readonly of_connection: number
}

export const LIMITS: Limits = { requests: 32, bytes: 8 * 1024 * 1024, of_connection: 16 }

export class Work {
  readonly limits: Limits
  #requests = 0
  #bytes = 0
  readonly #waiting = new Set<() => void>()

  constructor(limits: Limits = LIMITS) {
    this.limits = limits
  }

  /**
   * Whether it may begin; otherwise `whenFree` is called once there is room. A line of any length may be the only one.
   */
  take(bytes: number, whenFree: () => void): boolean {
    const isTooMuch = this.#requests >= this.limits.requests || this.#bytes + bytes > this.limits.bytes
    if (isTooMuch && this.#requests > 0) {
      this.#waiting.add(whenFree)
      return false
    }
    this.#requests += 1
    this.#bytes += bytes
    return true
  }

  /** In the order in which they came. */
  give(bytes: number): void {
    this.#requests -= 1
    this.#bytes -= bytes
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const goOn of waiting) goOn()
  }

  leave(whenFree: () => void): void {
    this.#waiting.delete(whenFree)
  }
}
