// Takes the host to what a stored tunnel shall be, and stores that only where the host was read back to hold it (decisions.md, S1).
import { APPLY_STATUSES } from '@panel/shared/api/lookups.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { invert, type Change } from '@panel/shared/change/change.ts'
import type { Check } from '@panel/shared/change/check.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { carryOutAll, refusalFor } from '../../change/carry-out.ts'
import type { ApplyMark } from '../../change/ended.ts'
import type { CommandContext } from '../../platform/context.ts'
import { isHelperAway } from '../../platform/helper/away.ts'
import { livingTunnel } from './look.ts'
import { named, type NewTunnel, type TunnelRecord } from './record.ts'
import { markApplyStatus, replaceTunnel } from './store.ts'

export interface Way {
  readonly stored: TunnelRecord
  readonly wanted: NewTunnel
  /** One after the other, each from where the one before it ends. */
  readonly changes: readonly Change<TunnelState>[]
}

export interface Reached {
  readonly record: TunnelRecord
  readonly checks: readonly Check[]
}

/** Where it fails the record keeps what it wanted before, and says that and why it failed. */
export async function reach(context: CommandContext, { stored, wanted, changes }: Way): Promise<Reached> {
  const outcome = await whilePending(context, stored, () => carryOutAll(context, changes))
  await refuseUnlessApplied(context, stored, outcome)
  const now = context.now().toISOString()
  const applied = {
    ...wanted,
    apply_status_id: APPLY_STATUSES.Applied,
    last_applied_date: now,
    last_apply_error: '',
    updated_date: now,
  }
  try {
    return { record: await replace(context, stored.tunnel_id, applied), checks: outcome.checks }
  } catch (failure) {
    // What cannot be stored is taken back, so that the host holds what the record says.
    const undone = await carryOutAll(context, changes.map(invert).reverse())
    await refuseUnlessApplied(context, stored, undone)
    await markAs(context, stored, stored)
    throw failure
  }
}

export async function replace(
  { db, publish }: CommandContext,
  tunnel_id: number,
  wanted: NewTunnel,
): Promise<TunnelRecord> {
  await db.transaction().execute((transaction) => replaceTunnel(transaction, tunnel_id, wanted))
  const record = await livingTunnel(db, tunnel_id)
  publish('tunnel.updated', named(record))
  return record
}

/** Marks the tunnel as Failed or Inconsistent and throws, unless the change was applied. */
export async function refuseUnlessApplied(
  context: CommandContext,
  stored: TunnelRecord,
  outcome: Outcome,
): Promise<void> {
  const refusal = refusalFor(outcome, stored.interface_name, { tunnel_id: stored.tunnel_id })
  if (!refusal) return
  const apply_status_id = outcome.outcome === 'stuck' ? APPLY_STATUSES.Inconsistent : APPLY_STATUSES.Failed
  await markAs(context, stored, { apply_status_id, last_apply_error: refusal.message })
  context.publish('tunnel.updated', named(stored))
  throw refusal
}

/** A panel that dies meanwhile leaves the tunnel pending, and so does a helper that goes away: nobody knows how that ended. */
export async function whilePending(
  context: CommandContext,
  stored: TunnelRecord,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  await markAs(context, stored, { ...stored, apply_status_id: APPLY_STATUSES.Pending })
  try {
    return await work()
  } catch (thrown) {
    if (!isHelperAway(thrown)) await markAs(context, stored, stored)
    throw thrown
  }
}

const markAs = (
  { db, now }: CommandContext,
  { tunnel_id }: TunnelRecord,
  { apply_status_id, last_apply_error }: ApplyMark,
): Promise<void> => markApplyStatus(db, tunnel_id, { apply_status_id, last_apply_error }, now().toISOString())
