// The methods of relay rules.
import { message } from '@panel/shared/messages/message.ts'
import type { RelayCounters, RulesetState } from '@panel/shared/ruleset/model.ts'
import { sameState, type Change } from '@panel/shared/change/change.ts'
import type { Params, Result } from '@panel/shared/rpc/methods.ts'
import { changedIds } from '@panel/shared/ruleset/plan.ts'
import type { HeldRuleset, Rulesets } from '../../kernel/relay-facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { readableRuleset } from '../../policy.ts'
import { RefusedError } from '../../refused.ts'
import type { Journal } from '../../subject.ts'
import { Transaction, type Verification } from '../../transaction.ts'
import { asHostRules, hostRules, rulesetSubject, type HostRules, type Due } from './subject.ts'

export async function readSources(
  rulesets: Rulesets,
  { interface_names }: Params<'ruleset.sources'>,
): Promise<Result<'ruleset.sources'>> {
  try {
    const wanted = new Set(interface_names)
    const sources = (await rulesets.sources()).filter(({ interface_name }) => wanted.has(interface_name))
    return { is_readable: true, detail: '', sources }
  } catch (error) {
    if (!(error instanceof KernelError)) throw error
    return { is_readable: false, detail: error.message.slice(0, 300), sources: [] }
  }
}

/**
 * A change of the wire speaks of rules alone; what boot brings back of them, and pieces of them, are as they are found.
 */
function hostChange(held: HeldRuleset, { before, after }: Change<RulesetState>): Change<HostRules> {
  const found = hostRules(held, new Set(changedIds({ before, after })))
  const { boot = [], pieces = [], strays = [] } = found ?? {}
  const stated = found || before ? { rules: before ?? [], boot, pieces, strays } : null
  return { before: stated, after: asHostRules(after) }
}

export async function verifyRuleset(
  rulesets: Rulesets,
  journal: Journal,
  params: Change<RulesetState>,
): Promise<Verification> {
  const change = { before: asHostRules(params.before), after: asHostRules(params.after) }
  return new Transaction(
    rulesetSubject(rulesets, () => undefined),
    journal,
  ).verify(change)
}

export async function applyRuleset(
  rulesets: Rulesets,
  journal: Journal,
  params: Change<RulesetState>,
  due: Due = {},
): Promise<Result<'ruleset.apply'>> {
  const last_counters: RelayCounters[] = []
  const subject = rulesetSubject(rulesets, (last) => last_counters.push(...last), due)
  const outcome = await new Transaction(subject, journal).apply(hostChange(await rulesets.read(), params))
  // Rules that are applied as they are take no step.
  const { before, after } = params
  if (outcome.outcome === 'applied' && sameState(before, after)) await due.submitted?.(before ?? [], after ?? [])
  return { ...outcome, last_counters }
}

/**
 * Removes whatever the host holds of these rules. Throws a RefusedError where that failed, with the outcome in its
 * message.
 */
export async function forgetRules(
  rulesets: Rulesets,
  journal: Journal,
  { route_rule_ids }: Params<'ruleset.forget'>,
): Promise<Result<'ruleset.forget'>> {
  const held = await rulesets.read()
  readableRuleset(held)
  const before = hostRules(held, new Set(route_rule_ids))
  if (!before) return { last_counters: await rulesets.removeCounters(route_rule_ids) }
  const last_counters: RelayCounters[] = []
  const subject = rulesetSubject(rulesets, (last) => last_counters.push(...last))
  const { outcome, failure } = await new Transaction(subject, journal).apply({ before, after: null })
  if (outcome === 'applied') return { last_counters }
  const why = failure?.message ?? ''
  throw new RefusedError(
    'kernel_refused',
    message(outcome === 'stuck' ? 'root.not_removed_stuck' : 'root.not_removed', { why }),
  )
}
