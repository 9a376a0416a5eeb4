// What the kernel holds of the relay rules, requested from root page by page.
import { type RelayRule, RULES_PER_CHANGE_MAX } from '@panel/shared/ruleset/model.ts'
import type { RulesetFound } from '@panel/shared/ruleset/found.ts'
import { sameState } from '@panel/shared/change/change.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { isReadingOnce, readOnce } from '../../platform/helper/reading-once.ts'
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
 * The rules of these ids at least, as far as the kernel holds them; all that it holds where no ids are given. Where
 * nothing has changed since all were read last, they are the very objects of then.
 */
export function readKernelRules(request: Reader, ids: readonly number[] = []): Promise<KernelRules> {
  // More ids than one request takes are requested as all, and so are those of many requests.
  const isAll = ids.length === 0 || ids.length > RULES_PER_CHANGE_MAX || isReadingOnce(request)
  return isAll ? readOnce(request, readAll, () => readAll(request)) : readSome(request, ids)
}

async function readAll(request: Reader): Promise<KernelRules> {
  const known = last
  const first = await request('ruleset.probe', {
    route_rule_ids: [],
    from_id: 0,
    ...(known && { known: known.revision }),
  })
  if (known && first.is_unchanged) return known.held
  const held = await withRest(request, [], first)
  if (first.revision !== undefined) last = { revision: first.revision, held }
  return held
}

const readSome = async (request: Reader, ids: readonly number[]): Promise<KernelRules> =>
  withRest(request, ids, await request('ruleset.probe', { route_rule_ids: [...ids], from_id: 0 }))

async function withRest(request: Reader, ids: readonly number[], first: RulesetFound): Promise<KernelRules> {
  const rules = new Map<number, RelayRule>()
  let found = first
  for (;;) {
    for (const rule of found.rules) rules.set(rule.route_rule_id, rule)
    if (found.next_id === null) break
    found = await request('ruleset.probe', { route_rule_ids: [...ids], from_id: found.next_id })
  }
  const { next_id: _next, rules: _rules, revision: _revision, is_unchanged: _is, ...rest } = found
  return { ...rest, rules }
}
