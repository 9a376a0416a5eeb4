// How many flows each relay rule owns and how many have begun, from one look at connection tracking to the next.
import { randomUUID } from 'node:crypto'
import type { Flows } from '@panel/shared/ruleset/connection.ts'
import type { OwnedFlow } from '../../netlink/conntrack.ts'

type Counted = Omit<Flows, 'route_rule_id'>

export class FlowCounts {
  readonly epoch = randomUUID()
  /** The flows of the previous reading; null before the first. */
  #flows: ReadonlySet<number> | null = null
  #answered: ReadonlySet<number> = new Set()
  #counted: ReadonlyMap<number, Counted> = new Map()

  update(owned: readonly OwnedFlow[]): Flows[] {
    const current = new Set<number>()
    const answered = new Set<number>()
    const counted = new Map<number, Counted>()
    for (const one of owned) {
      const key = keyOf(one)
      // A dump may list an entry twice where the table changes during it.
      if (current.has(key)) continue
      current.add(key)
      const rule = counted.get(one.route_rule_id) ?? {
        connections: 0,
        begun: this.#counted.get(one.route_rule_id)?.begun ?? 0,
        answered: this.#counted.get(one.route_rule_id)?.answered ?? 0,
        waiting: 0,
        half_open: 0,
      }
      if (one.isOpen) rule.connections += 1
      if (one.isAnswered) answered.add(key)
      if (one.isAnswered && this.#flows !== null && !this.#answered.has(key)) rule.answered += 1
      if (one.isOpen && !one.isAnswered) rule.waiting += 1
      if (one.isHalfOpen) rule.half_open += 1
      if (this.#flows !== null && !this.#flows.has(key)) rule.begun += 1
      counted.set(one.route_rule_id, rule)
    }
    this.#flows = current
    this.#answered = answered
    this.#counted = counted
    return [...counted].sort(([a], [b]) => a - b).map(([route_rule_id, one]) => ({ route_rule_id, ...one }))
  }
}

/** 32 bits of the flow and 20 of the rule: a number holds 53. */
const keyOf = ({ route_rule_id, flow }: OwnedFlow): number => flow * 2 ** 20 + route_rule_id
