// Which rules come into force with a change: what they listen for is theirs from then on, and was not before. Pure.
import { sameState } from '../change/change.ts'
import type { RelayRule } from './model.ts'
import { listensOn } from './ports.ts'

const listenerOf = (rule: RelayRule) => [
  rule.protocol,
  rule.bind_address,
  rule.bind_port,
  rule.bind_port_range_end,
  rule.bind_interface,
  rule.allowed_sources,
  rule.is_closed,
]

/** All of them where they are applied as they are: whatever is older than they are shall end then. */
export function comingIntoForce(before: readonly RelayRule[], after: readonly RelayRule[]): RelayRule[] {
  if (sameState(before, after)) return [...after]
  const held = new Map(before.map((rule) => [rule.route_rule_id, rule]))
  return after.filter((rule) => {
    const was = held.get(rule.route_rule_id)
    return !was || !sameState(listenerOf(was), listenerOf(rule))
  })
}

/** A closed rule takes no new flow. */
export const listensForUdp = (rule: RelayRule): boolean => listensOn(rule, 'udp') && !rule.is_closed
