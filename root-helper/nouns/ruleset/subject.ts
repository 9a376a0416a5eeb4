// Relay rules as a subject of the transaction: its state is the list of the rules that a change names, all others stay out of it.
import { canonicalRuleset } from '@panel/shared/ruleset/canonical.ts'
import type { RelayCounters, RulesetState } from '@panel/shared/ruleset/model.ts'
import { checkRuleset } from '@panel/shared/ruleset/facts.ts'
import { idsOf, planRuleset, rulesOrNull, type RulesetStep } from '@panel/shared/ruleset/plan.ts'
import type { HeldRuleset, Rulesets } from '../../kernel/facilities.ts'
import { allowRules, canonicalOr, idsIn, readableRuleset } from '../../policy.ts'
import type { Subject } from '../../subject.ts'

interface Found {
  readonly state: RulesetState | null
  readonly held: HeldRuleset
}

/** `counted` is told the last figures of the counters that a step takes away. */
export function rulesetSubject(
  rulesets: Rulesets,
  counted: (last: readonly RelayCounters[]) => void,
): Subject<RulesetState, Found, RulesetStep> {
  /** Of the rules of the change, those that the last probe found in pieces: no state tells of them, and putting back must not leave them. */
  let damaged: readonly number[] = []
  let backend: HeldRuleset['backend'] = 'none'
  return {
    noun: 'ruleset',
    canonical: (rules) => canonicalOr(rules, (some) => rulesOrNull(canonicalRuleset(some))),
    probe: async (change) => {
      const ids = new Set(idsIn(change))
      const held = await rulesets.read()
      readableRuleset(held)
      backend = held.backend
      damaged = held.damaged.map(({ route_rule_id }) => route_rule_id).filter((id) => ids.has(id))
      return { held, state: rulesOrNull(held.rules.filter(({ route_rule_id }) => ids.has(route_rule_id))) }
    },
    plan: (found, wanted) => planRuleset(found, wanted, damaged),
    check: (change, wanted, found) => checkRuleset(idsOf(change), wanted, found),
    allow: async (change, { held }) => allowRules(change.after, held.backend),
    execute: (step) => executeRulesetStep(rulesets, step, counted),
    remedy: () => [
      `Look at what is there: ${WHAT_IS_THERE[backend]}`,
      'Reapply the rules in the panel; where the kernel itself refuses, the message says why.',
    ],
  }
}

const WHAT_IS_THERE: Readonly<Record<HeldRuleset['backend'], string>> = {
  nftables: 'nft list table inet panel',
  iptables_nft: 'iptables-nft-save -c and ip6tables-nft-save -c, the chains PANEL-*',
  iptables_legacy: 'iptables-legacy-save -c and ip6tables-legacy-save -c, the chains PANEL-*',
  none: 'GET /system/capabilities says why nothing can hold relay rules',
}

async function executeRulesetStep(
  rulesets: Rulesets,
  step: RulesetStep,
  counted: (last: readonly RelayCounters[]) => void,
): Promise<void> {
  if (step.kind === 'counters_remove') return counted(await rulesets.removeCounters(step.route_rule_ids))
  const stays = new Set(step.after.map(({ route_rule_id }) => route_rule_id))
  const gone = step.before.map(({ route_rule_id }) => route_rule_id).filter((id) => !stays.has(id))
  return rulesets.submit([...gone, ...step.leftovers], step.after)
}
