// The hand-over of the relay rules from one backend to another, as a subject of the transaction: two backends would
// relay every packet twice.
import { message } from '@panel/shared/messages/message.ts'
import { canonicalRuleset } from '@panel/shared/ruleset/canonical.ts'
import type { RuleBackend } from '@panel/shared/ruleset/backend.ts'
import type { RelayRule, RulesetState } from '@panel/shared/ruleset/model.ts'
import { sameState, type Change } from '@panel/shared/change/change.ts'
import { compareFacts, type Check, type Fact } from '@panel/shared/change/check.ts'
import type { RuleBackends, Rulesets } from '../../kernel/facilities.ts'
import { readableRuleset } from '../../policy.ts'
import type { Subject } from '../../subject.ts'

export interface Handover {
  /** The backend that is on record as the one that holds the rules. */
  readonly recorded: RuleBackend
  /** What the backend that takes over holds. */
  readonly rules: RulesetState
  /** What the former backend holds; null where it has no table of ours. */
  readonly former: RulesetState | null
}

export type HandoverStep =
  | { readonly kind: 'former_submit' | 'ruleset_submit'; readonly gone: readonly number[]; readonly put: RulesetState }
  | { readonly kind: 'former_clear' }
  | { readonly kind: 'backend_record'; readonly backend: RuleBackend }

interface Found {
  readonly state: Handover
}

/** The change names both backends, so that a helper that starts with either of them can undo it. */
export function handoverSubject(backends: RuleBackends): Subject<Handover, Found, HandoverStep> {
  const open = async (backend: RuleBackend | undefined): Promise<Rulesets | null> => {
    const opened = await backends.open(backend ?? 'none')
    return typeof opened === 'string' ? null : opened
  }
  let parties: { readonly former: Rulesets | null; readonly next: Rulesets | null } = { former: null, next: null }
  return {
    noun: 'rule_backend',
    canonical: (state) => state,
    async probe({ before, after }) {
      parties = { former: await open(before?.recorded), next: await open(after?.recorded) }
      const { former, next } = parties
      return {
        state: { recorded: backends.recorded(), rules: (await rulesIn(next)) ?? [], former: await rulesIn(former) },
      }
    },
    plan: planHandover,
    check: checkHandover,
    allow: async () => undefined,
    // It happens when the helper starts, and joins no window.
    rehearse: async () => undefined,
    execute: (step) => executeStep(step, parties, backends),
    remedy: ({ before, after }) => [
      message('root.two_places', { first: before?.recorded ?? 'none', second: after?.recorded ?? 'none' }).message,
    ],
  }
}

/** Null where there is no table of ours, or where the backend does not work on this host. */
async function rulesIn(rulesets: Rulesets | null): Promise<RulesetState | null> {
  if (!rulesets) return null
  const held = await rulesets.read()
  readableRuleset(held)
  return held.is_present ? canonicalRuleset(held.rules) : null
}

/** The rules are loaded into the new backend before they leave the old one, and the record is written last. */
function planHandover(found: Handover | null, wanted: Handover | null): HandoverStep[] {
  if (!found || !wanted) return []
  const formerNeeds = wanted.former && changeBetween(found.former ?? [], wanted.former)
  const needs = changeBetween(found.rules, wanted.rules)
  return [
    ...(formerNeeds ? [{ kind: 'former_submit' as const, ...formerNeeds }] : []),
    ...(needs ? [{ kind: 'ruleset_submit' as const, ...needs }] : []),
    ...(found.former && !wanted.former ? [{ kind: 'former_clear' as const }] : []),
    ...(found.recorded === wanted.recorded ? [] : [{ kind: 'backend_record' as const, backend: wanted.recorded }]),
  ]
}

/** Null where nothing differs. */
function changeBetween(
  from: readonly RelayRule[],
  to: RulesetState,
): { readonly gone: number[]; readonly put: RulesetState } | null {
  if (sameState(from, to)) return null
  const stays = new Set(to.map(({ route_rule_id }) => route_rule_id))
  return { gone: from.map(({ route_rule_id }) => route_rule_id).filter((id) => !stays.has(id)), put: to }
}

function checkHandover(_change: Change<Handover>, wanted: Handover | null, found: Handover | null): Check[] {
  return compareFacts('relay rules', wanted ? facts(wanted) : [], found ? facts(found) : [])
}

function facts({ recorded, rules, former }: Handover): Fact[] {
  const ids = (all: RulesetState): string => all.map(({ route_rule_id }) => route_rule_id).join(' ') || 'none'
  return [
    { name: 'backend', value: recorded },
    { name: 'rules', value: ids(rules) },
    { name: 'former', value: ids(former ?? []) },
  ]
}

async function executeStep(
  step: HandoverStep,
  { former, next }: { readonly former: Rulesets | null; readonly next: Rulesets | null },
  backends: RuleBackends,
): Promise<void> {
  switch (step.kind) {
    case 'former_submit':
      return former?.submit(step.gone, step.put)
    case 'ruleset_submit':
      return next?.submit(step.gone, step.put)
    case 'former_clear':
      return former?.clear()
    case 'backend_record':
      return backends.record(step.backend)
  }
}
