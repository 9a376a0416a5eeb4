// How much of a rule it concerns that some of its packets are dropped, or not tracked.
import { leadsOf } from '../ruleset/leads.ts'
import type { RelayRule } from '../ruleset/model.ts'
import { transportsOf } from '../ruleset/ports.ts'
import type { Packet } from './relay-packet.ts'

/**
 * all: every new connection. part: those to some of the destinations, or of one protocol. none: no destination that gets
 * new connections now.
 */
export type Extent = 'all' | 'part' | 'none'

type Concerned = Pick<Packet, 'protocol' | 'to'>

export function extentOf(rule: RelayRule, packets: readonly Concerned[]): Extent {
  const takers = rule.destinations.length === 1 ? [0] : [...new Set(leadsOf(rule))]
  const ways = transportsOf(rule).flatMap((protocol) => takers.map((to) => ({ protocol, to })))
  const hit = ways.filter((way) =>
    packets.some(({ protocol, to }) => protocol === way.protocol && (to === null || to === way.to)),
  )
  return hit.length === ways.length ? 'all' : hit.length > 0 ? 'part' : 'none'
}

/** What was found, with the packets that it happens to. */
export interface Met<T> {
  readonly found: T
  readonly packets: Packet[]
}

/** The extent is that of all that was found together; what concerns no new connection by itself comes last. */
export function withExtent<T extends object>(rule: RelayRule, all: readonly Met<T>[]): (T & { extent: Extent })[] {
  const whole = extentOf(
    rule,
    all.flatMap(({ packets }) => packets),
  )
  const each = all.map(({ found, packets }) => ({
    ...found,
    extent: extentOf(rule, packets) === 'none' ? ('none' as const) : whole,
  }))
  return [...each.filter(({ extent }) => extent !== 'none'), ...each.filter(({ extent }) => extent === 'none')]
}
