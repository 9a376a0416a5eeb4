// What the packets of rules show by themselves: whether both directions of a rule carry some, or one alone.
import type { FlowsFound } from '@panel/shared/ruleset/connection.ts'
import type { TrafficDelta } from './delta.ts'

type Flows = FlowsFound['flows'][number]

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
  /** The flows of each rule at the last count; null if they could not be counted. */
  #flows: ReadonlyMap<number, Flows> | null = null
  /** Rules with flows in which both ends take part, or did between the last two counts: a refusal is an answer, too. */
  readonly #answered = new Set<number>()
  /** For how many counts clients have completed none of the open connections of a rule. */
  readonly #stuck = new Map<number, number>()

  /** Returns the rules of which something is known now that was not before. */
  take(deltas: ReadonlyMap<number, TrafficDelta>, at: number): number[] {
    const before = this.#oneWay()
    const first: number[] = []
    this.#readAt = at
    for (const [id, one] of this.#unanswered) this.#unanswered.set(id, { ...one, readings: one.readings + 1 })
    for (const [id, { tx_packets, rx_packets }] of deltas) {
      if (rx_packets === 0) this.#add(id, tx_packets)
      else this.#unanswered.delete(id)
      if (rx_packets === 0 || tx_packets === 0 || !this.#answered.has(id)) continue
      if (!this.#carried.has(id)) first.push(id)
      this.#carried.set(id, at)
    }
    const now = this.#oneWay()
    return [...new Set([...first, ...[...before, ...now].filter((id) => before.has(id) !== now.has(id))])]
  }

  #add(id: number, packets: number): void {
    if (packets === 0) return
    const { packets: before, readings } = this.#unanswered.get(id) ?? { packets: 0, readings: 1 }
    this.#unanswered.set(id, { packets: before + packets, readings })
  }

  #oneWay(): Set<number> {
    return new Set([...this.#unanswered].filter(([, one]) => isOneWay(one)).map(([id]) => id))
  }

  /** Returns the rules of which something is known now that was not before. `flows` null: the helper is away. */
  count(flows: FlowsFound | null): number[] {
    const before = this.#flows
    this.#flows = flows?.is_readable ? new Map(flows.flows.map((one) => [one.route_rule_id, one])) : null
    const stuck = new Map(this.#stuck)
    this.#stuck.clear()
    this.#answered.clear()
    for (const [id, { connections, answered, waiting, half_open }] of this.#flows ?? []) {
      if (connections > waiting || (before && answered > (before.get(id)?.answered ?? 0))) this.#answered.add(id)
      if (half_open > 0 && connections === waiting) this.#stuck.set(id, (stuck.get(id) ?? 0) + 1)
    }
    const ids = new Set([...stuck.keys(), ...this.#stuck.keys()])
    return [...ids].filter((id) => (stuck.get(id) ?? 0) >= READINGS !== this.isStuck(id))
  }

  /** Whether clients complete none of the connections that are open, although the destination takes them up. */
  isStuck(route_rule_id: number): boolean {
    return (this.#stuck.get(route_rule_id) ?? 0) >= READINGS
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
