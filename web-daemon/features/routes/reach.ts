// Takes the kernel to what a stored rule shall be, and stores that only where the kernel was read back to hold it (decisions.md, S1).
import { APPLY_STATUSES } from '@panel/shared/api/lookups.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { OF_FORWARDING, refusalFor } from '../../change/carry-out.ts'
import type { ApplyMark } from '../../change/ended.ts'
import type { CommandContext, ReadDb } from '../../platform/context.ts'
import { isHelperAway } from '../../platform/helper/away.ts'
import type { Refusal } from '../../platform/http/refusal.ts'
import { changeRules, type Changed } from './change-rules.ts'
import type { HeldRules } from './kernel-rules.ts'
import { ruleOf, type NamedRoute, type RouteRecord } from './record.ts'
import { findRoute, markApplied, replaceRoute } from './store.ts'
import type { Traffic } from './traffic/traffic.ts'

export interface Reached {
  readonly record: RouteRecord
  readonly changed: Changed
}

/** Where it fails the record keeps what it wanted before, and says that and why it failed. */
export async function reach(
  context: CommandContext,
  traffic: Traffic,
  stored: RouteRecord,
  wanted: NamedRoute,
): Promise<Reached> {
  const { route_rule_id } = stored
  const changed = await whilePending(context, [stored], () =>
    changeRules(context, traffic, [{ route_rule_id, rule: ruleOf(wanted) }]),
  )
  await refuseUnlessApplied(context, [stored], changed.outcome)
  const now = context.now().toISOString()
  const applied = {
    ...wanted,
    apply_status_id: APPLY_STATUSES.Applied,
    last_applied_date: now,
    last_apply_error: '',
    updated_date: now,
  }
  try {
    return { record: await replace(context, applied), changed }
  } catch (failure) {
    // What cannot be stored is taken back, so that the kernel holds what the record says.
    const undone = await changeRules(context, traffic, [{ route_rule_id, rule: ruleOf(stored) }])
    await refuseUnlessApplied(context, [stored], undone.outcome)
    await markApplied(
      context.db,
      [route_rule_id],
      { apply_status_id: stored.apply_status_id, last_apply_error: stored.last_apply_error },
      now,
    )
    throw failure
  }
}

/** Takes the kernel to what is stored of these rules, and takes the strays out of it. `held`: where that was asked already. */
export async function reachStored(
  context: CommandContext,
  traffic: Traffic,
  stored: readonly RouteRecord[],
  { strays = [], held }: { readonly strays?: readonly number[]; readonly held?: HeldRules } = {},
): Promise<Changed> {
  const wanted = [
    ...stored.map((one) => ({ route_rule_id: one.route_rule_id, rule: ruleOf(one) })),
    ...strays.map((route_rule_id) => ({ route_rule_id, rule: null })),
  ]
  const changed = await whilePending(context, stored, () => changeRules(context, traffic, wanted, held))
  await refuseUnlessApplied(context, stored, changed.outcome)
  const now = context.now().toISOString()
  await markApplied(
    context.db,
    stored.map(({ route_rule_id }) => route_rule_id),
    { apply_status_id: APPLY_STATUSES.Applied, last_apply_error: '', last_applied_date: now },
    now,
  )
  return changed
}

export async function replace({ db }: CommandContext, wanted: NamedRoute): Promise<RouteRecord> {
  await db.transaction().execute((transaction) => replaceRoute(transaction, wanted))
  return knownRoute(db, wanted.route_rule_id)
}

/** Of one that has just been stored. */
export async function knownRoute(db: ReadDb, route_rule_id: number): Promise<RouteRecord> {
  const record = await findRoute(db, route_rule_id)
  if (!record) throw new Error(`Rule ${route_rule_id} was stored and is not there`)
  return record
}

/** Marks the rules as Failed or Inconsistent and throws, unless the change was applied. */
export async function refuseUnlessApplied(
  { db, now }: CommandContext,
  stored: readonly RouteRecord[],
  outcome: Outcome,
): Promise<void> {
  const refusal = refusalOf(stored, outcome)
  if (!refusal) return
  const apply_status_id = outcome.outcome === 'stuck' ? APPLY_STATUSES.Inconsistent : APPLY_STATUSES.Failed
  await markApplied(
    db,
    stored.map((one) => one.route_rule_id),
    { apply_status_id, last_apply_error: refusal.message },
    now().toISOString(),
  )
  throw refusal
}

export function refusalOf(
  rules: readonly Pick<NamedRoute, 'route_rule_id' | 'route_rule_title'>[],
  outcome: Outcome,
): Refusal | null {
  const [first] = rules
  const what = rules.length === 1 && first ? `the rule ${first.route_rule_title}` : `${rules.length} rules`
  const details =
    rules.length === 1 && first
      ? { route_rule_id: first.route_rule_id }
      : { route_rule_ids: rules.map((one) => one.route_rule_id) }
  return refusalFor(outcome, what, details, OF_FORWARDING)
}

/** A panel that dies meanwhile leaves the rules pending, and so does a helper that goes away: nobody knows how that ended. */
export async function whilePending(
  context: CommandContext,
  stored: readonly RouteRecord[],
  work: () => Promise<Changed>,
): Promise<Changed> {
  const { db, now } = context
  const mark = (some: readonly RouteRecord[], { apply_status_id, last_apply_error }: ApplyMark): Promise<void> =>
    markApplied(
      db,
      some.map((one) => one.route_rule_id),
      { apply_status_id, last_apply_error },
      now().toISOString(),
    )
  await mark(stored, { apply_status_id: APPLY_STATUSES.Pending, last_apply_error: '' })
  try {
    return await work()
  } catch (thrown) {
    if (!isHelperAway(thrown)) for (const one of stored) await mark([one], one)
    throw thrown
  }
}
