// What the packets of rules show by themselves: whether both directions of a rule carry some, or one alone.
import type { TrafficDelta } from './delta.ts'

/** Packets that went to a destination since one last came back. */
export interface Unanswered {
  readonly packets: number
  /** The readings of the counters since the first of them. */
  readonly readings: number
}

const NOTHING_OPEN: Unanswered = { packets: 0, readings: 0 }
/** An answer to what goes just before a reading is counted by the next. */
const READINGS = 2
/** A single packet that is lost proves nothing. */
const PACKETS = 2

export const isOneWay = ({ packets, readings }: Unanswered): boolean => packets >= PACKETS && readings >= READINGS

export class TrafficEvidence {
  readonly #unanswered = new Map<number, Unanswered>()
  /** When both directions last had packets within one reading, in milliseconds since 1970. */
  readonly #carried = new Map<number, number>()
  #readAt = 0

  /** Returns the rules of which something is known now that was not before. */
  take(deltas: ReadonlyMap<number, TrafficDelta>, at: number): number[] {
    const news = new Set<number>()
    this.#readAt = at
    for (const [id, { tx_packets, rx_packets }] of deltas) {
      if (rx_packets > 0) {
        if (this.#unanswered.has(id) && isOneWay(this.unanswered(id))) news.add(id)
        this.#unanswered.delete(id)
        if (tx_packets === 0) continue
        if (!this.#carried.has(id)) news.add(id)
        this.#carried.set(id, at)
      } else if (tx_packets > 0)
        this.#unanswered.set(id, { ...this.unanswered(id), packets: this.unanswered(id).packets + tx_packets })
    }
    for (const [id, { packets, readings }] of this.#unanswered) {
      const now = { packets, readings: readings + 1 }
      this.#unanswered.set(id, now)
      if (isOneWay(now) && !isOneWay({ packets: now.packets, readings })) news.add(id)
    }
    return [...news]
  }

  unanswered(route_rule_id: number): Unanswered {
    return this.#unanswered.get(route_rule_id) ?? NOTHING_OPEN
  }

  /** When it last carried, and whether the last reading found it so; null if it has not been seen to. */
  carried(route_rule_id: number): { readonly at: number; readonly isNow: boolean } | null {
    const at = this.#carried.get(route_rule_id)
    return at === undefined ? null : { at, isNow: at === this.#readAt }
  }

  /** What was seen of a rule that is another one now proves nothing of it. */
  forget(route_rule_ids: readonly number[]): void {
    for (const id of route_rule_ids) {
      this.#unanswered.delete(id)
      this.#carried.delete(id)
    }
  }
}
