// The hand-over of the relay rules from one backend to another, as a subject of the transaction: two backends would
// relay every packet twice.
import { message } from '@panel/shared/messages/message.ts'
import { canonicalRuleset } from '@panel/shared/ruleset/canonical.ts'
import type { RuleBackend } from '@panel/shared/ruleset/backend.ts'
import type { RelayRule, RulesetState } from '@panel/shared/ruleset/model.ts'
import { sameState, type Change } from '@panel/shared/change/change.ts'
import { compareFacts, type Check, type Fact } from '@panel/shared/change/check.ts'
import type { RuleBackends, Rulesets } from '../../kernel/relay-facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { readableRuleset } from '../../policy.ts'
import type { Subject } from '../../subject.ts'

interface Parties {
  readonly from: RuleBackend
  readonly to: RuleBackend
}

export interface Handover {
  /** The same on both sides of a change, so that a helper that starts with either of them can undo it. */
  readonly parties: Parties
  /** The backend that is on record as the one that holds the rules. */
  readonly recorded: RuleBackend | null
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

export function handoverSubject(backends: RuleBackends): Subject<Handover, Found, HandoverStep> {
  const open = async (backend: RuleBackend): Promise<Rulesets> => {
    const opened = await backends.open(backend)
    if (typeof opened === 'string') throw new KernelError('EOPNOTSUPP', opened)
    return opened
  }
  let opened: { readonly former: Rulesets; readonly next: Rulesets } | null = null
  return {
    noun: 'rule_backend',
    canonical: (state) => state,
    async probe(change) {
      const { from, to } = partiesOf(change)
      opened = { former: await open(from), next: await open(to) }
      const rules = (await rulesIn(opened.next)) ?? []
      const former = await rulesIn(opened.former)
      return { state: { parties: { from, to }, recorded: backends.recorded(), rules, former } }
    },
    plan: planHandover,
    check: checkHandover,
    allow: async () => undefined,
    // It happens when the helper starts, and joins no window.
    rehearse: async () => undefined,
    async execute(step) {
      if (opened) await executeStep(step, opened, backends)
    },
    remedy: (change) => {
      const { from, to } = partiesOf(change)
      return [message('root.two_places', { first: from, second: to }).message]
    },
  }
}

const partiesOf = ({ before, after }: Change<Handover>): Parties =>
  (after ?? before)?.parties ?? { from: 'none', to: 'none' }

/** Null where there is no table of ours. */
async function rulesIn(rulesets: Rulesets): Promise<RulesetState | null> {
  const held = await rulesets.read()
  readableRuleset(held)
  return held.is_present ? canonicalRuleset(held.rules) : null
}

/** The rules are loaded into the new backend, and read back, before they leave the old one; the record is written last. */
function planHandover(found: Handover | null, wanted: Handover | null): HandoverStep[] {
  if (!found || !wanted) return []
  const formerNeeds = wanted.former && changeBetween(found.former ?? [], wanted.former)
  const needs = changeBetween(found.rules, wanted.rules)
  return [
    ...(formerNeeds ? [{ kind: 'former_submit' as const, ...formerNeeds }] : []),
    ...(needs ? [{ kind: 'ruleset_submit' as const, ...needs }] : []),
    ...(found.former && !wanted.former ? [{ kind: 'former_clear' as const }] : []),
    ...(wanted.recorded === null || found.recorded === wanted.recorded
      ? []
      : [{ kind: 'backend_record' as const, backend: wanted.recorded }]),
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
  const isLeft = wanted?.former === null
  return compareFacts('relay rules', wanted ? facts(wanted, isLeft) : [], found ? facts(found, isLeft) : [])
}

/** Rule by rule, as each backend holds it. `isLeft`: the former backend is to hold nothing at all, not even chains. */
function facts({ recorded, rules, former }: Handover, isLeft: boolean): Fact[] {
  const held = (where: string, all: RulesetState): Fact[] =>
    all.map((rule) => ({ name: `${where}.${rule.route_rule_id}`, value: JSON.stringify(rule) }))
  return [
    ...(recorded === null ? [] : [{ name: 'backend', value: recorded }]),
    ...(isLeft ? [{ name: 'former', value: former === null ? 'none' : 'present' }] : []),
    ...held('rules', rules),
    ...held('former', former ?? []),
  ]
}

async function executeStep(
  step: HandoverStep,
  { former, next }: { readonly former: Rulesets; readonly next: Rulesets },
  backends: RuleBackends,
): Promise<void> {
  switch (step.kind) {
    case 'former_submit':
      return submitVerified(former, step)
    case 'ruleset_submit':
      return submitVerified(next, step)
    case 'former_clear':
      return former.clear()
    case 'backend_record':
      return backends.record(step.backend)
  }
}

/** The other backend is touched only once this one was read back. */
async function submitVerified(
  rulesets: Rulesets,
  { gone, put }: { readonly gone: readonly number[]; readonly put: RulesetState },
): Promise<void> {
  await rulesets.submit(gone, put)
  const held = await rulesIn(rulesets)
  if (!sameState(held ?? [], put)) throw new KernelError('EPROTO', message('root.handover_differs').message)
}
