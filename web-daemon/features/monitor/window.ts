// The last probes of one tunnel. Counts and sums are updated with every result, so that a large window costs no more
// than a small one.
import type { MonitorStats } from '@panel/shared/api/monitor.ts'

/** Values in the ring other than a round-trip time in microseconds. */
const LOST = -1
const OPEN = -2

/** `revised`: a probe that counted as lost was answered after all. */
export type Decision = 'decided' | 'revised'

export class Window {
  readonly size: number
  readonly #held: Int32Array
  #newest = 0
  #received = 0
  #lost = 0
  /** Whole microseconds, so that rounding errors do not add up. */
  #rttSum = 0
  #lastRtt: number | null = null
  #lastReplyAt: number | null = null
  /** Sent, and neither answered nor timed out, as the prober reports it. */
  pending = 0

  /** `size`: how many probes it holds. It takes over as many as it can from `before`. */
  constructor(size: number, before?: Window) {
    this.size = size
    this.#held = new Int32Array(size).fill(OPEN)
    if (before) this.#takeOver(before)
  }

  /** The sequence number of the newest decided probe, from 1. */
  get newest(): number {
    return this.#newest
  }

  get received(): number {
    return this.#received
  }

  get decided(): number {
    return this.#received + this.#lost
  }

  /** Null while nothing is decided. */
  get lossPercent(): number | null {
    return this.decided === 0 ? null : (100 * this.#lost) / this.decided
  }

  get averageRttMs(): number | null {
    return this.#received === 0 ? null : this.#rttSum / this.#received / 1000
  }

  /** Null if the probe has left the window or is already decided. */
  lost(sequence: number): Decision | null {
    this.#advanceTo(sequence)
    if (this.#at(sequence) !== OPEN) return null
    this.#put(sequence, LOST)
    return 'decided'
  }

  /** A late answer counts as long as its probe is in the window. */
  answered(sequence: number, rtt_us: number, at: number): Decision | null {
    this.#advanceTo(sequence)
    const before = this.#at(sequence)
    if (before === null || before >= 0) return null
    this.#put(sequence, rtt_us)
    this.#lastRtt = rtt_us
    this.#lastReplyAt = at
    return before === LOST ? 'revised' : 'decided'
  }

  /** All figures, in milliseconds. */
  stats(): MonitorStats {
    const { decided, received, pending, lossPercent } = this
    return {
      sent: decided + pending,
      received,
      lost: this.#lost,
      pending,
      loss_percent: lossPercent === null ? null : round(lossPercent),
      ...this.#spread(),
      last_rtt_ms: this.#lastRtt === null ? null : round(this.#lastRtt / 1000),
      last_reply_at: this.#lastReplyAt === null ? null : new Date(this.#lastReplyAt).toISOString(),
    }
  }

  #takeOver(before: Window): void {
    this.#newest = before.#newest
    for (
      let sequence = Math.max(1, this.#newest - Math.min(this.size, before.size) + 1);
      sequence <= this.#newest;
      sequence++
    )
      this.#put(sequence, before.#at(sequence) ?? OPEN)
    ;[this.pending, this.#lastRtt, this.#lastReplyAt] = [before.pending, before.#lastRtt, before.#lastReplyAt]
  }

  /** Drops the oldest. */
  #advanceTo(sequence: number): void {
    for (let next = Math.max(this.#newest + 1, sequence - this.size + 1); next <= sequence; next++)
      this.#put(next, OPEN)
    this.#newest = Math.max(this.#newest, sequence)
  }

  /** Oldest first. */
  #eachAnswer(take: (rtt_us: number) => void): void {
    for (let sequence = Math.max(1, this.#newest - this.size + 1); sequence <= this.#newest; sequence++) {
      const held = this.#held[sequence % this.size] ?? OPEN
      if (held >= 0) take(held)
    }
  }

  /**
   * The spread by the definitions of ping(8): mdev is the standard deviation, jitter the mean difference between
   * consecutive answers.
   */
  #spread(): Pick<MonitorStats, 'rtt_min_ms' | 'rtt_avg_ms' | 'rtt_max_ms' | 'rtt_mdev_ms' | 'jitter_ms'> {
    if (this.#received === 0)
      return { rtt_min_ms: null, rtt_avg_ms: null, rtt_max_ms: null, rtt_mdev_ms: null, jitter_ms: null }
    const mean = this.#rttSum / this.#received
    let [least, most, squares, differences, before] = [Number.POSITIVE_INFINITY, 0, 0, 0, -1]
    this.#eachAnswer((rtt) => {
      least = Math.min(least, rtt)
      most = Math.max(most, rtt)
      squares += (rtt - mean) ** 2
      if (before >= 0) differences += Math.abs(rtt - before)
      before = rtt
    })
    const jitter_ms = this.#received === 1 ? null : round(differences / (this.#received - 1) / 1000)
    return {
      rtt_min_ms: round(least / 1000),
      rtt_avg_ms: round(mean / 1000),
      rtt_max_ms: round(most / 1000),
      rtt_mdev_ms: round(Math.sqrt(squares / this.#received) / 1000),
      jitter_ms,
    }
  }

  #at(sequence: number): number | null {
    return sequence > 0 && sequence > this.#newest - this.size ? (this.#held[sequence % this.size] ?? null) : null
  }

  /** Replaces a value and adjusts the counts. */
  #put(sequence: number, held: number): void {
    const place = sequence % this.size
    this.#count(this.#held[place] ?? OPEN, -1)
    this.#held[place] = held
    this.#count(held, 1)
  }

  #count(held: number, by: 1 | -1): void {
    if (held === LOST) this.#lost += by
    else if (held >= 0) {
      this.#received += by
      this.#rttSum += by * held
    }
  }
}

/** To the microsecond, and to a thousandth of a percent. */
const round = (figure: number): number => Math.round(figure * 1000) / 1000
