// Whether two rules can match the same connection, and which of them then gets it (decisions.md, F7, F10). Pure.
import { overlaps, parseCidr } from '../address/ip.ts'
import { familyOf, isWildcard } from './canonical.ts'
import type { RelayRule } from './model.ts'
import { lastPort } from './ports.ts'

export type Listens = Pick<
  RelayRule,
  'protocol' | 'bind_address' | 'bind_port' | 'bind_port_range_end' | 'bind_interface' | 'allowed_sources'
>
type Placed = Pick<RelayRule, 'route_rule_id' | 'sort_order'>

/** The rule that stands first, if both match. */
export const winnerOf = <R extends Placed>(a: R, b: R): R =>
  (a.sort_order - b.sort_order || a.route_rule_id - b.route_rule_id) < 0 ? a : b

export const isOverlapping = (a: Listens, b: Listens): boolean =>
  a.bind_port <= lastPort(b) &&
  b.bind_port <= lastPort(a) &&
  (a.protocol === b.protocol || a.protocol === 'both' || b.protocol === 'both') &&
  familyOf(a) === familyOf(b) &&
  (a.bind_address === b.bind_address || isWildcard(a.bind_address) || isWildcard(b.bind_address)) &&
  (a.bind_interface === null || b.bind_interface === null || a.bind_interface === b.bind_interface) &&
  isSourceMet(a.allowed_sources, b.allowed_sources)

/** An empty list is everybody. */
function isSourceMet(ours: readonly string[], theirs: readonly string[]): boolean {
  if (ours.length === 0 || theirs.length === 0) return true
  const others = theirs.flatMap((cidr) => parseCidr(cidr) ?? [])
  return ours.flatMap((cidr) => parseCidr(cidr) ?? []).some((one) => others.some((other) => overlaps(one, other)))
}
