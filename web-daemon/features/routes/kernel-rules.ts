// What the kernel holds of the relay rules, requested from root page by page.
import { type RelayRule, RULES_PER_CHANGE_MAX } from '@panel/shared/ruleset/model.ts'
import type { RulesetFound } from '@panel/shared/ruleset/found.ts'
import { sameState } from '@panel/shared/change/change.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { ruleOf, type NamedRoute } from './record.ts'

export type KernelRules = Omit<RulesetFound, 'next_id' | 'rules' | 'revision' | 'is_unchanged'> & {
  readonly rules: ReadonlyMap<number, RelayRule>
}

/** Whether the kernel holds the rule whole and as it is stored: a disabled one not at all. */
export const isAsStored = (record: NamedRoute, { rules, damaged }: KernelRules): boolean =>
  isSameRule(rules.get(record.route_rule_id) ?? null, ruleOf(record)) &&
  damaged.every(({ route_rule_id }) => route_rule_id !== record.route_rule_id)

/** What a rule of the kernel was last compared with, and whether it was the same; neither is ever changed in place. */
const compared = new WeakMap<RelayRule, { readonly stored: RelayRule; readonly isSame: boolean }>()

export function isSameRule(held: RelayRule | null, stored: RelayRule | null): boolean {
  if (!held || !stored) return held === stored
  let last = compared.get(held)
  if (last?.stored !== stored) compared.set(held, (last = { stored, isSame: sameState(held, stored) }))
  return last.isSame
}

/** The last answer about all rules; no other answer has its revision. */
let last: { readonly revision: string; readonly held: KernelRules } | null = null

/**
 * The rules of these ids, as far as the kernel holds them; all that it holds where no ids are given. Where nothing has
 * changed since all were read last, they are the very objects of then.
 */
export async function readKernelRules(request: Reader, ids: readonly number[] = []): Promise<KernelRules> {
  const rules = new Map<number, RelayRule>()
  // More ids than one request takes are requested as all.
  const route_rule_ids = ids.length > RULES_PER_CHANGE_MAX ? [] : [...ids]
  const known = route_rule_ids.length === 0 ? last : null
  let found = await request('ruleset.probe', { route_rule_ids, from_id: 0, ...(known && { known: known.revision }) })
  if (known && found.is_unchanged) return known.held
  const { revision } = found
  for (;;) {
    for (const rule of found.rules) rules.set(rule.route_rule_id, rule)
    if (found.next_id === null) break
    found = await request('ruleset.probe', { route_rule_ids, from_id: found.next_id })
  }
  const { next_id: _next, rules: _rules, revision: _revision, is_unchanged: _is, ...rest } = found
  const held = { ...rest, rules }
  if (route_rule_ids.length === 0 && revision !== undefined) last = { revision, held }
  return held
}
