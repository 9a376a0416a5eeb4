// What the kernel holds of the relay rules, requested from root page by page.
import { type RelayRule, RULES_PER_CHANGE_MAX } from '@panel/shared/ruleset/model.ts'
import type { RulesetFound } from '@panel/shared/ruleset/found.ts'
import { sameState } from '@panel/shared/change/change.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { ruleOf, type NamedRoute } from './record.ts'

export type KernelRules = Omit<RulesetFound, 'next_id' | 'rules'> & { readonly rules: ReadonlyMap<number, RelayRule> }

/** Whether the kernel holds the rule whole and as it is stored: a disabled one not at all. */
export const isAsStored = (record: NamedRoute, { rules, damaged }: KernelRules): boolean =>
  sameState(rules.get(record.route_rule_id) ?? null, ruleOf(record)) &&
  damaged.every(({ route_rule_id }) => route_rule_id !== record.route_rule_id)

/** The rules of these ids, as far as the kernel holds them; all that it holds where no ids are given. */
export async function readKernelRules(request: Reader, ids: readonly number[] = []): Promise<KernelRules> {
  const rules = new Map<number, RelayRule>()
  // More ids than one request takes are requested as all.
  const route_rule_ids = ids.length > RULES_PER_CHANGE_MAX ? [] : [...ids]
  let found = await request('ruleset.probe', { route_rule_ids, from_id: 0 })
  const { next_id: _next, rules: _rules, ...rest } = found
  for (;;) {
    for (const rule of found.rules) rules.set(rule.route_rule_id, rule)
    if (found.next_id === null) return { ...rest, rules }
    found = await request('ruleset.probe', { route_rule_ids, from_id: found.next_id })
  }
}
