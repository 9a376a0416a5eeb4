// Finds out how changes ended that nobody saw the end of: what the kernel holds as it is stored was applied (decisions.md, S1).
import { APPLY_STATUSES } from '@panel/shared/api/lookups.ts'
import type { CommandContext } from '../../platform/context.ts'
import { isAsStored, type HeldRules } from './kernel-rules.ts'
import type { RouteRecord } from './record.ts'
import { markApplied } from './store.ts'

/** Gives back the records as they are then. One that differs stays pending: whether it is to be as stored or as found is not for the panel to say. Call it inside `inTurn`, where no change is under way. */
export async function settlePending(
  { db, now }: Pick<CommandContext, 'db' | 'now'>,
  records: readonly RouteRecord[],
  held: HeldRules,
): Promise<RouteRecord[]> {
  const settled = new Set(
    records.filter(
      (record) => record.apply_status_id === APPLY_STATUSES.Pending && held.is_readable && isAsStored(record, held),
    ),
  )
  if (settled.size === 0) return [...records]
  const date = now().toISOString()
  const mark = { apply_status_id: APPLY_STATUSES.Applied, last_apply_error: '', last_applied_date: date }
  await markApplied(
    db,
    [...settled].map(({ route_rule_id }) => route_rule_id),
    mark,
    date,
  )
  return records.map((record) => (settled.has(record) ? { ...record, ...mark, updated_date: date } : record))
}
