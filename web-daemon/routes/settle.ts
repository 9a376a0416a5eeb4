// Finds out how changes ended that nobody saw the end of: what the kernel holds as it is stored was applied (decisions.md, S1).
import { APPLY_STATUSES } from '@panel/shared/api/lookups.ts'
import type { CommandContext } from '../context.ts'
import { heldRules, isAsStored } from './kernel-rules.ts'
import type { RouteRecord } from './record.ts'
import { markApplied } from './store.ts'

/** Gives back the records as they are then. One that differs stays pending: whether it is to be as stored or as found is not for the panel to say. Call it inside `inTurn`, where no change is under way. */
export async function settlePending({ db, ask, now }: Pick<CommandContext, 'db' | 'ask' | 'now'>, records: readonly RouteRecord[]): Promise<RouteRecord[]> {
  const pending = records.filter(({ apply_status_id }) => apply_status_id === APPLY_STATUSES.Pending)
  if (pending.length === 0) return [...records]
  const held = await heldRules(ask, pending.map(({ route_rule_id }) => route_rule_id))
  const settled = new Set(held.is_readable ? pending.filter((record) => isAsStored(record, held)) : [])
  const date = now().toISOString()
  const mark = { apply_status_id: APPLY_STATUSES.Applied, last_apply_error: '', last_applied_date: date }
  await markApplied(db, [...settled].map(({ route_rule_id }) => route_rule_id), mark, date)
  return records.map((record) => (settled.has(record) ? { ...record, ...mark, updated_date: date } : record))
}
