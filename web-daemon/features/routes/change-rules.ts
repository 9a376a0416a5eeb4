// Has root take the kernel from the rules that it holds to those that are wanted, and loses no byte of what it counted on the way.
import type { RelayCounters, RelayRule, RulesetState } from '@panel/shared/ruleset/model.ts'
import { RULES_PER_CHANGE_MAX } from '@panel/shared/ruleset/model.ts'
import { inOrder } from '@panel/shared/ruleset/canonical.ts'
import { invert, sameState, type Change } from '@panel/shared/change/change.ts'
import type { Check } from '@panel/shared/change/check.ts'
import { rulesOrNull } from '@panel/shared/ruleset/plan.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { carryOutAs } from '../../change/carry-out.ts'
import type { CommandContext } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { heldRules, type HeldRules } from './kernel-rules.ts'
import type { Traffic } from './traffic/traffic.ts'

/** What a request can be answered with; an outcome of nothing to do is one that was applied. */
export interface Changed {
  readonly outcome: Outcome
  /** From what was found to what was wanted. */
  readonly change: Change<RulesetState>
  readonly backend: string
}

export interface WantedRule {
  readonly route_rule_id: number
  /** Null: it shall not be there. */
  readonly rule: RelayRule | null
}

type Hands = Pick<CommandContext, 'ask' | 'note' | 'publish'>

/** Call it inside `inTurn`. `before` is what the probe finds (`probed`, where that was asked already), so a change puts drift right on the way. */
export function changeRules(
  context: Hands,
  traffic: Traffic,
  wanted: readonly WantedRule[],
  probed?: HeldRules,
): Promise<Changed> {
  return traffic
    .whileChanging(async (counted) => {
      const held =
        probed ??
        (await heldRules(
          context.ask,
          wanted.map(({ route_rule_id }) => route_rule_id),
        ))
      refuseUnreadable(held)
      const damaged = new Set(held.damaged.map(({ route_rule_id }) => route_rule_id))
      const before = wanted.flatMap(({ route_rule_id }) => held.rules.get(route_rule_id) ?? [])
      const after = wanted.flatMap(({ rule }) => rule ?? [])
      await forgetDamaged(
        context,
        wanted.filter(({ route_rule_id, rule }) => !rule && damaged.has(route_rule_id)),
        counted,
      )
      const changes = piecesOf(before, after).filter((one) => one.before || one.after)
      const outcome = await carryOutAll(context, changes, counted)
      return { outcome, change: { before: inTheirOrder(before), after: inTheirOrder(after) }, backend: held.backend }
    })
    .finally(() =>
      context.publish('routes.changed', { route_rule_ids: wanted.map(({ route_rule_id }) => route_rule_id) }),
    )
}

/** Nothing is taken for gone because it cannot be seen. Where there is no backend nothing can be held, so that rules can still be taken out of the store. */
function refuseUnreadable({ is_readable, backend, detail }: HeldRules): void {
  if (is_readable || backend === 'none') return
  throw new Refusal('SERVICE_UNAVAILABLE', `The kernel's rules cannot be read, so none is changed: ${detail}`, {
    details: { reason: 'kernel_refused' },
  })
}

/** What is left of a rule has no state that a change could name. */
async function forgetDamaged({ ask, note }: Hands, damaged: readonly WantedRule[], counted: Counted): Promise<void> {
  if (damaged.length === 0) return
  const { last_counters } = await ask('ruleset.forget', {
    route_rule_ids: damaged.map(({ route_rule_id }) => route_rule_id),
  })
  counted(last_counters)
  note.operation('ruleset_forget')
}

type Counted = (last: readonly RelayCounters[]) => void

/** Half of what one line to root may hold, since it carries the state before and the one after. */
const PIECE_BYTES = 1_500_000

/** As few changes as their sizes allow: one, but for thousands of rules. */
function piecesOf(before: readonly RelayRule[], after: readonly RelayRule[]): Change<RulesetState>[] {
  const founds = new Map(before.map((rule) => [rule.route_rule_id, rule]))
  const wanteds = new Map(after.map((rule) => [rule.route_rule_id, rule]))
  const pieces: { before: RelayRule[]; after: RelayRule[] }[] = []
  let bytes = Infinity
  for (const id of new Set([...founds.keys(), ...wanteds.keys()])) {
    const [found, wanted] = [founds.get(id), wanteds.get(id)]
    const size = Math.max(JSON.stringify(found ?? null).length, JSON.stringify(wanted ?? null).length)
    if (
      bytes + size > PIECE_BYTES ||
      (pieces.at(-1)?.before.length ?? 0) >= RULES_PER_CHANGE_MAX ||
      (pieces.at(-1)?.after.length ?? 0) >= RULES_PER_CHANGE_MAX
    ) {
      pieces.push({ before: [], after: [] })
      bytes = 0
    }
    bytes += size
    if (found) pieces.at(-1)?.before.push(found)
    if (wanted) pieces.at(-1)?.after.push(wanted)
  }
  return pieces.map((piece) => ({ before: inTheirOrder(piece.before), after: inTheirOrder(piece.after) }))
}

/** Each is canonical already. */
const inTheirOrder = (rules: readonly RelayRule[]): RulesetState | null => rulesOrNull([...rules].sort(inOrder))

const NOTHING_TO_DO: Outcome = { outcome: 'applied', checks: [], steps: [], failure: null, remediation: [] }

/** One after the other; where one fails, those before it are taken back. */
async function carryOutAll(
  context: Hands,
  changes: readonly Change<RulesetState>[],
  counted: Counted,
): Promise<Outcome> {
  const done: Change<RulesetState>[] = []
  const checks: Check[] = []
  const steps: string[] = []
  for (const change of changes) {
    const outcome = await carryOutOne(context, change, counted)
    steps.push(...outcome.steps)
    if (outcome.outcome !== 'applied') return takeBack(context, { ...outcome, steps }, done, counted)
    checks.push(...outcome.checks)
    done.push(change)
  }
  return changes.length === 0 ? NOTHING_TO_DO : { ...NOTHING_TO_DO, checks, steps }
}

async function takeBack(
  context: Hands,
  failed: Outcome,
  done: readonly Change<RulesetState>[],
  counted: Counted,
): Promise<Outcome> {
  for (const change of [...done].reverse()) {
    const back = await carryOutOne(context, invert(change), counted)
    failed.steps.push(...back.steps)
    if (back.outcome !== 'applied') return { ...back, outcome: 'stuck', steps: failed.steps }
  }
  return failed
}

async function carryOutOne({ ask, note }: Hands, change: Change<RulesetState>, counted: Counted): Promise<Outcome> {
  const outcome = await carryOutAs(
    { note },
    {
      apply: () => ask('ruleset.apply', change),
      verify: () => ask('ruleset.verify', change),
      held: (applied) => ({ ...applied, last_counters: [] }),
    },
  )
  counted(outcome.last_counters)
  return outcome
}

/** Whether the kernel has a part in what becomes of a rule. */
export const concernsKernel = (a: RelayRule | null, b: RelayRule | null): boolean => !sameState(a, b)
