// Relay rules as a subject of the transaction: its state is what the host holds of the rules that a change names, and
// of no others.
import { message, verbatim, type Message } from '@panel/shared/messages/message.ts'
import { canonicalRuleset, inOrder } from '@panel/shared/ruleset/canonical.ts'
import type { RelayCounters, RelayRule, RulesetState } from '@panel/shared/ruleset/model.ts'
import { checkRuleset } from '@panel/shared/ruleset/facts.ts'
import { planRuleset, rulesOrNull, type RulesetStep } from '@panel/shared/ruleset/plan.ts'
import { sameState, type Change } from '@panel/shared/change/change.ts'
import { compareFacts, type Check, type Fact } from '@panel/shared/change/check.ts'
import type { HeldRuleset, Rulesets, RuleSwap } from '../../kernel/relay-facilities.ts'
import { allowRules, canonicalOr, readableRuleset } from '../../policy.ts'
import { RefusedError } from '../../refused.ts'
import type { Subject } from '../../subject.ts'
import { allowAmount } from './amount.ts'
import type { AllowAdded } from './limits.ts'

/** Null, as a state, is a host that holds nothing of the rules of the change. */
export interface HostRules {
  /** Those that the kernel holds whole, in their order. */
  readonly rules: RulesetState
  /** Those that boot brings back, in their order. */
  readonly boot: RulesetState
  /**
   * Ids of those that the kernel holds in pieces, or that boot would bring back and the kernel lacks. Pieces can be
   * removed and never put back.
   */
  readonly pieces: readonly number[]
  /** Rules that another program has put into our table. Every change takes it out, and it is never put back. */
  readonly strays: readonly string[]
}

/** The host state that rules on the wire stand for. */
export const asHostRules = (rules: RulesetState | null): HostRules | null =>
  rules && { rules, boot: rules, pieces: [], strays: [] }

/**
 * Root's own steps: the rules that boot brings back change with the kernel's, and by themselves where a change was cut
 * short between the two.
 */
export type HostRulesStep =
  | (Extract<RulesetStep, { kind: 'ruleset_submit' }> & { readonly boot: BootChange })
  | Extract<RulesetStep, { kind: 'counters_remove' }>
  | { readonly kind: 'boot_rules_write'; readonly boot: BootChange }

interface BootChange {
  readonly gone: readonly number[]
  readonly put: readonly RelayRule[]
}

interface Found {
  readonly state: HostRules | null
  readonly held: HeldRuleset
}

/** Before a change, and after it. */
export interface Due {
  readonly allowAdded?: AllowAdded
  /** The rules that the kernel held and holds, once that was read back. */
  readonly submitted?: (before: readonly RelayRule[], after: readonly RelayRule[]) => Promise<void>
}

/** `counted` receives the last values of the counters that a step deletes. */
export function rulesetSubject(
  rulesets: Rulesets,
  counted: (last: readonly RelayCounters[]) => void,
  { allowAdded, submitted }: Due = {},
): Subject<HostRules, Found, HostRulesStep> {
  let backend: HeldRuleset['backend'] = 'none'
  return {
    noun: 'ruleset',
    canonical: (state) => canonicalOr(state, canonicalHostRules),
    probe: async (change) => {
      const held = await rulesets.read()
      readableRuleset(held)
      backend = held.backend
      return { held, state: hostRules(held, changedIds(change)) }
    },
    plan: planHostRules,
    check: checkHostRules,
    async allow(change, { held }) {
      const wanted = change.after?.rules ?? []
      allowChange(held, wanted)
      allowRules(rulesOrNull(wanted), held.backend)
      allowAmount(held.rules, changedIds(change), wanted)
      await allowAdded?.(held, changedIds(change), wanted)
    },
    async rehearse({ before, after }, { held }) {
      const [from, to] = [before ?? NOTHING, after ?? NOTHING]
      const lost = from.pieces.filter((id) => !to.pieces.includes(id))
      if (lost.length > 0) throw new RefusedError('irreversible', message('root.pieces_lost', { number: lost[0] ?? 0 }))
      allowRules(rulesOrNull(from.rules), held.backend)
      await rulesets.rehearse(swapOf(from, to), swapOf(to, from))
    },
    execute: (step) => executeStep(rulesets, step, counted),
    arrived: (steps) => reportSubmitted(steps, submitted),
    remedy: () => [
      message('root.look', { commands: HOW_TO_LOOK[backend] }).message,
      message('root.reapply_rules').message,
    ],
  }
}

function allowChange({ boot_trouble, trouble, backend, detail }: HeldRuleset, wanted: readonly RelayRule[]): void {
  const why = boot_trouble ?? trouble ?? ''
  if (why !== '') throw new RefusedError('state_unusable', verbatim(why))
  if (backend === 'none' && wanted.length > 0) throw new RefusedError('unsupported', verbatim(detail))
}

async function reportSubmitted(steps: readonly HostRulesStep[], submitted: Due['submitted']): Promise<void> {
  for (const step of steps) if (step.kind === 'ruleset_submit') await submitted?.(step.before, step.after)
}

const swapOf = (from: HostRules, to: HostRules): RuleSwap => {
  const stays = new Set(ruleIds(to.rules))
  return { gone: ruleIds(from.rules).filter((id) => !stays.has(id)), put: to.rules }
}

/** So many are named; all of them are taken out. */
const STRAYS_MAX = 100

/** What the host holds of the rules of these ids. */
export function hostRules(
  { rules, damaged, boot_rules, unmanaged }: HeldRuleset,
  ids: ReadonlySet<number>,
): HostRules | null {
  const isOf = ({ route_rule_id }: { readonly route_rule_id: number }): boolean => ids.has(route_rule_id)
  return orNull({
    rules: rules.filter(isOf),
    boot: boot_rules.filter(isOf),
    pieces: damaged
      .filter(isOf)
      .map(({ route_rule_id }) => route_rule_id)
      .sort((a, b) => a - b),
    strays: [...unmanaged].sort().slice(0, STRAYS_MAX),
  })
}

const orNull = (state: HostRules): HostRules | null =>
  state.rules.length + state.boot.length + state.pieces.length === 0 ? null : state

function canonicalHostRules({ rules, boot, pieces, strays }: HostRules): HostRules | null {
  const canonical = canonicalRuleset(rules)
  return orNull({
    rules: canonical,
    boot: boot === rules ? canonical : [...boot].sort(inOrder),
    pieces: [...pieces].sort((a, b) => a - b),
    strays: [...strays].sort().slice(0, STRAYS_MAX),
  })
}

const ruleIds = (rules: readonly RelayRule[]): number[] => rules.map(({ route_rule_id }) => route_rule_id)

function changedIds({ before, after }: Change<HostRules>): Set<number> {
  const ids = [before, after].flatMap((state) =>
    state ? [...ruleIds(state.rules), ...ruleIds(state.boot), ...state.pieces] : [],
  )
  if (ids.length === 0) throw new RefusedError('malformed', 'The change has neither a state before nor a state after')
  return new Set(ids)
}

const NOTHING: HostRules = { rules: [], boot: [], pieces: [], strays: [] }

function planHostRules(found: HostRules | null, wanted: HostRules | null): HostRulesStep[] {
  const [from, to] = [found ?? NOTHING, wanted ?? NOTHING]
  const stay = new Set(to.pieces)
  const leftovers = from.pieces.filter((id) => !stay.has(id))
  const steps = planRuleset(rulesOrNull(from.rules), rulesOrNull(to.rules), leftovers)
  const boot = bootChange(from.boot, to.boot)
  if (steps.length === 0 && hasStrays(from, to))
    return [{ kind: 'ruleset_submit', before: from.rules, after: to.rules, leftovers: [], boot }]
  if (steps.length === 0) return boot.gone.length + boot.put.length === 0 ? [] : [{ kind: 'boot_rules_write', boot }]
  return steps.map((step) => (step.kind === 'ruleset_submit' ? { ...step, boot } : step))
}

/** Which there are to be taken out; a table that had them before a change need not have them after its undoing. */
function hasStrays({ strays }: HostRules, { strays: wanted }: HostRules): boolean {
  return strays.some((text) => !wanted.includes(text))
}

function bootChange(from: readonly RelayRule[], to: readonly RelayRule[]): BootChange {
  const before = byId(from)
  const after = byId(to)
  return {
    gone: ruleIds(from).filter((id) => !after.has(id)),
    put: to.filter((rule) => !sameState(rule, before.get(rule.route_rule_id) ?? null)),
  }
}

const byId = (rules: readonly RelayRule[]): Map<number, RelayRule> =>
  new Map(rules.map((rule) => [rule.route_rule_id, rule]))

/** What boot brings back, and pieces that are left, are checks of their own only where they are not as wanted. */
function checkHostRules(change: Change<HostRules>, wanted: HostRules | null, found: HostRules | null): Check[] {
  const [to, there] = [wanted ?? NOTHING, found ?? NOTHING]
  const ids = [...changedIds(change)]
  const [wantedBoot, foundBoot] = [byId(to.boot), byId(there.boot)]
  const expected = new Set([...to.pieces, ...ruleIds(to.rules)])
  const facts = (id: number, rule: RelayRule | undefined, pieces: string): Fact[] => [
    { name: `${id}.boot`, value: rule ? JSON.stringify(rule) : 'none' },
    { name: `${id}.pieces`, value: pieces },
  ]
  const left = new Set(there.pieces.filter((id) => !expected.has(id)))
  const others = ids.flatMap((id) =>
    compareFacts(
      message('root.rule', { number: id }).message,
      facts(id, wantedBoot.get(id), 'none'),
      facts(id, foundBoot.get(id), left.has(id) ? 'some' : 'none'),
    ),
  )
  return [...checkRuleset(ids, rulesOrNull(to.rules), rulesOrNull(there.rules)), ...others.filter(({ ok }) => !ok)]
}

const HOW_TO_LOOK: Readonly<Record<HeldRuleset['backend'], string | Message>> = {
  nftables: 'nft list table inet panel',
  iptables_nft: 'iptables-nft-save -c; ip6tables-nft-save -c',
  iptables_legacy: 'iptables-legacy-save -c; ip6tables-legacy-save -c',
  none: message('root.look_at_backend'),
}

async function executeStep(
  rulesets: Rulesets,
  step: HostRulesStep,
  counted: (last: readonly RelayCounters[]) => void,
): Promise<void> {
  if (step.kind === 'counters_remove') return counted(await rulesets.removeCounters(step.route_rule_ids))
  if (step.kind === 'ruleset_submit') {
    const stays = new Set(ruleIds(step.after))
    const gone = ruleIds(step.before).filter((id) => !stays.has(id))
    await rulesets.submit([...gone, ...step.leftovers], step.after)
  }
  await rulesets.saveForBoot(step.boot.gone, step.boot.put)
}
