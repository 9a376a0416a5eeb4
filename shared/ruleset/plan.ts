// planRuleset: from the rules that are found under the ids of a change to those that are wanted there. Pure.
import type { RelayRule, RulesetState } from './model.ts'
import { sameState, type Change } from '../change/change.ts'

/**
 * Both lists hold only the rules of the change. `leftovers` are ids of rules of which the host holds pieces, and which
 * leave.
 */
export type RulesetStep =
  | {
      readonly kind: 'ruleset_submit'
      readonly before: readonly RelayRule[]
      readonly after: readonly RelayRule[]
      readonly leftovers: readonly number[]
    }
  | { readonly kind: 'counters_remove'; readonly route_rule_ids: readonly number[] }

export const rulesOrNull = (rules: RulesetState): RulesetState | null => (rules.length === 0 ? null : rules)
export const changedIds = ({ before, after }: Change<RulesetState>): number[] => [
  ...new Set([...(before ?? []), ...(after ?? [])].map(({ route_rule_id }) => route_rule_id)),
]

/**
 * Both are canonical. All rules of a change go in one transaction, and so do pieces of rules that leave (`damaged`).
 * The counters of rules that leave stop counting with it, so a second step can read their last values and lose no byte.
 */
export function planRuleset(
  found: RulesetState | null,
  wanted: RulesetState | null,
  damaged: readonly number[] = [],
): readonly RulesetStep[] {
  const stays = new Set((wanted ?? []).map(({ route_rule_id }) => route_rule_id))
  const leftovers = damaged.filter((id) => !stays.has(id))
  if (sameState(found, wanted) && leftovers.length === 0) return []
  const leaving = [
    ...(found ?? []).map(({ route_rule_id }) => route_rule_id).filter((id) => !stays.has(id)),
    ...leftovers,
  ]
  return [
    { kind: 'ruleset_submit', before: found ?? [], after: wanted ?? [], leftovers },
    ...(leaving.length > 0 ? [{ kind: 'counters_remove' as const, route_rule_ids: leaving }] : []),
  ]
}
