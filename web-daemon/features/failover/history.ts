// The last checks of a destination: a few bytes each, and no more than sixty.
const KEPT = 60
/** In the place of a latency, in microseconds. */
const FAILED = -1
const UNTIMED = -2

export interface HistoryEntry {
  readonly is_success: boolean
  readonly latency_ms: number | null
}

export class CheckHistory {
  readonly #entries = new Int32Array(KEPT)
  #count = 0
  lastAt: number | null = null
  latency_ms: number | null = null

  add(is_success: boolean, latency_ms: number | null, at: number): void {
    const value = !is_success
      ? FAILED
      : latency_ms === null
        ? UNTIMED
        : Math.min(Math.round(latency_ms * 1000), 2 ** 31 - 1)
    this.#entries[this.#count % KEPT] = value
    this.#count += 1
    this.lastAt = at
    this.latency_ms = is_success ? latency_ms : null
  }

  /** The oldest first. */
  get all(): HistoryEntry[] {
    const first = Math.max(0, this.#count - KEPT)
    return Array.from({ length: this.#count - first }, (_, at) => {
      const value = this.#entries[(first + at) % KEPT] ?? FAILED
      return { is_success: value !== FAILED, latency_ms: value < 0 ? null : value / 1000 }
    })
  }
}
