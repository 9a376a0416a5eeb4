// Counts the connections of each rule, and how many are new, between two readings of connection tracking.
import type { Flows, FlowsFound } from '@panel/shared/ruleset/connection.ts'

/** For an interval: the most at one reading, and the new ones. Null if not known. */
export interface ConnectionCounts {
  readonly active_connections: number | null
  readonly new_connections: number | null
}

interface FlowReading {
  readonly at: number
  readonly epoch: string
  readonly flows: ReadonlyMap<number, Flows>
}

export class ConnectionCounter {
  /** Null if the last reading failed. */
  #last: FlowReading | null = null
  /** Seconds between the last two readings; null if they cannot be compared. */
  #seconds: number | null = null
  #newFlows: ReadonlyMap<number, number> = new Map()

  /**
   * Returns how many connections are new per rule since the previous reading; null if not known. `flows` null: the
   * helper is away.
   */
  take(flows: FlowsFound | null, at: number): ReadonlyMap<number, number> | null {
    const before = this.#last
    this.#last = flows?.is_readable
      ? { at, epoch: flows.epoch, flows: new Map(flows.flows.map((one) => [one.route_rule_id, one])) }
      : null
    this.#seconds = null
    if (!this.#last || before?.epoch !== this.#last.epoch || at <= before.at) return null
    this.#seconds = (at - before.at) / 1000
    this.#newFlows = newBetween(before, this.#last)
    return this.#newFlows
  }

  /** The connections of the last reading; null if not known. */
  active(route_rule_id: number): number | null {
    return this.#last && (this.#last.flows.get(route_rule_id)?.connections ?? 0)
  }

  last(now: number): { readonly totals: ReadonlyMap<number, number>; readonly age_ms: number } | null {
    if (!this.#last) return null
    const totals = new Map([...this.#last.flows.values()].map((one) => [one.route_rule_id, one.connections]))
    return { totals, age_ms: now - this.#last.at }
  }

  /** Between the last two readings; null if they cannot be compared. */
  newPerSecond(route_rule_id: number): number | null {
    return this.#seconds === null ? null : (this.#newFlows.get(route_rule_id) ?? 0) / this.#seconds
  }
}

/** The kernel's count of a rule restarts from zero after it had no connections. */
function newBetween(before: FlowReading, now: FlowReading): Map<number, number> {
  return new Map(
    [...now.flows].flatMap(([route_rule_id, { begun }]) => {
      const was = before.flows.get(route_rule_id)?.begun ?? 0
      const came = begun < was ? begun : begun - was
      return came > 0 ? [[route_rule_id, came]] : []
    }),
  )
}
