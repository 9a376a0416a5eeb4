// Of many rules, those that a change of some has to do with: what they are compiled to differs, and all else in the
// table stays. Pure.
import type { RelayRule } from './model.ts'
import { sameState } from '../change/change.ts'
import { coveredBy, isRange, merged } from './ports.ts'

export interface RulesPart {
  readonly before: RelayRule[]
  readonly after: RelayRule[]
}

/**
 * The two parts compile to tables with the same difference as the two lists. An unchanged rule is in both parts if it
 * shares a port with a changed one, if ranges meet (their maps are refilled as a whole), or if an optional chain exists
 * because of it.
 */
export function rulesAround(before: readonly RelayRule[], after: readonly RelayRule[]): RulesPart {
  const changed = changedRules(before, after)
  const concerned = isConcernedBy([...changed], before)
  const witnesses = new Set(
    WITNESSES.flatMap((has) => before.find((rule) => has(rule) && !changed.has(rule))?.route_rule_id ?? []),
  )
  const chosen = (rule: RelayRule): boolean => concerned(rule) || witnesses.has(rule.route_rule_id)
  return { before: before.filter(chosen), after: after.filter(chosen) }
}

/** What some rule must have for a part of the table to be there. */
const WITNESSES: readonly ((rule: RelayRule) => boolean)[] = [
  ({ is_clamp_mss_to_pmtu }) => is_clamp_mss_to_pmtu,
  ({ fwmark }) => fwmark !== null,
  ({ is_fast_path }) => is_fast_path === true,
]

/** The rules of either list that the other does not hold unchanged. */
function changedRules(before: readonly RelayRule[], after: readonly RelayRule[]): Set<RelayRule> {
  const differing = differingParts(before, after)
  const wanted = new Map(differing.after.map((rule) => [rule.route_rule_id, rule]))
  const changed = new Set<RelayRule>(differing.after)
  for (const rule of differing.before) {
    const other = wanted.get(rule.route_rule_id)
    if (other && (other === rule || sameState(other, rule))) changed.delete(other)
    else changed.add(rule)
  }
  return changed
}

/**
 * The parts that differ. Among ten thousand rules all but one are the same objects, in the same order: what both begin
 * and end with is left out.
 */
function differingParts(before: readonly RelayRule[], after: readonly RelayRule[]): RulesPart {
  const shorter = Math.min(before.length, after.length)
  let [same, behind] = [0, 0]
  while (same < shorter && before[same] === after[same]) same += 1
  while (behind < shorter - same && before.at(-1 - behind) === after.at(-1 - behind)) behind += 1
  return { before: before.slice(same, before.length - behind), after: after.slice(same, after.length - behind) }
}

/** `before`: the list before the change. A changed rule is concerned itself. */
function isConcernedBy(changed: readonly RelayRule[], before: readonly RelayRule[]): (rule: RelayRule) => boolean {
  const inRange = coveredBy(merged([...before.filter(isRange), ...changed.filter(isRange)]))
  const meetsRange = (rule: RelayRule): boolean => isRange(rule) || inRange(rule.bind_port)
  const ports = new Set(changed.map(({ bind_port }) => bind_port))
  const areRanges = changed.some(meetsRange)
  return (rule) => ports.has(rule.bind_port) || (areRanges && meetsRange(rule))
}
