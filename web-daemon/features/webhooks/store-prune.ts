// Deletes the oldest of the outbox, however they ended: a receiver that is gone must not fill the store. What had not
// been sent by then is counted at its target, for the operator to see.
import { sql } from 'kysely'
import type { StoreContext, WriteDb } from '../../platform/context.ts'

const KEPT_MS = 7 * 86_400_000
const KEPT_ROWS = 10_000

const tooOld = (before: string) => sql<boolean>`created_date < ${before}`
const beyond = sql<boolean>`delivery_id in (
  select delivery_id from webhook_delivery order by delivery_id desc limit -1 offset ${sql.lit(KEPT_ROWS)}
)`

/** The counts of a target begin again once nothing was discarded for as long as a delivery is kept. */
export async function pruneDeliveries(db: StoreContext['db'], now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_MS).toISOString()
  await db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('webhook')
      .set({ discarded_too_old: 0, discarded_no_room: 0, discarded_since: null, discarded_last: null })
      .where('discarded_last', '<', before)
      .execute()
    await discard(transaction, 'discarded_too_old', tooOld(before), now)
    await discard(transaction, 'discarded_no_room', beyond, now)
  })
}

async function discard(
  db: WriteDb,
  column: 'discarded_too_old' | 'discarded_no_room',
  which: ReturnType<typeof tooOld>,
  now: Date,
): Promise<void> {
  const unsent = await db
    .selectFrom('webhook_delivery')
    .select(['webhook_id', (e) => e.fn.countAll<number>().as('count')])
    .where('state', '=', 'waiting')
    .where(which)
    .groupBy('webhook_id')
    .execute()
  await db.deleteFrom('webhook_delivery').where(which).execute()
  const at = now.toISOString()
  for (const { webhook_id, count } of unsent)
    await db
      .updateTable('webhook')
      .set((e) => ({
        [column]: e(column, '+', count),
        discarded_since: e.fn.coalesce('discarded_since', e.val(at)),
        discarded_last: at,
      }))
      .where('webhook_id', '=', webhook_id)
      .execute()
}
