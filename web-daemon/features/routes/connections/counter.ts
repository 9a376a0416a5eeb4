// The connections of rules from one look at connection tracking to the next: how many there are, and how fast new ones come.
import type { Flows, FlowsFound } from '@panel/shared/ruleset/connection.ts'

/** Of an interval: the most at one look, and those that began in it. Null is not known. */
export interface ConnectionCounts {
  readonly active_connections: number | null
  readonly new_connections: number | null
}

/** Two parts of one interval. Of new ones nothing is known where a part is not. */
export const joinConnectionCounts = (a: ConnectionCounts, b: ConnectionCounts): ConnectionCounts => ({
  active_connections:
    a.active_connections === null || b.active_connections === null
      ? (a.active_connections ?? b.active_connections)
      : Math.max(a.active_connections, b.active_connections),
  new_connections:
    a.new_connections === null || b.new_connections === null ? null : a.new_connections + b.new_connections,
})

interface FlowReading {
  readonly at: number
  readonly epoch: string
  readonly flows: ReadonlyMap<number, Flows>
}

export class ConnectionCounter {
  /** Null where the last look saw nothing, for whatever reason. */
  #last: FlowReading | null = null
  /** Seconds from the look before the last to the last; null where there are no two that can be compared. */
  #seconds: number | null = null
  #newFlows: ReadonlyMap<number, number> = new Map()

  /** Gives back how many began for each rule since the look before; null where that is not known. `found` null: the helper is away. */
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

  /** As counted last; null where that is not known. */
  active(route_rule_id: number): number | null {
    return this.#last && (this.#last.flows.get(route_rule_id)?.connections ?? 0)
  }

  /** Between the last two looks; null where there are none. */
  newPerSecond(route_rule_id: number): number | null {
    return this.#seconds === null ? null : (this.#newFlows.get(route_rule_id) ?? 0) / this.#seconds
  }
}

/** The count of a rule begins anew when it had no connection. */
function newBetween(before: FlowReading, now: FlowReading): Map<number, number> {
  return new Map(
    [...now.flows].flatMap(([route_rule_id, { begun }]) => {
      const was = before.flows.get(route_rule_id)?.begun ?? 0
      const came = begun < was ? begun : begun - was
      return came > 0 ? [[route_rule_id, came]] : []
    }),
  )
}
