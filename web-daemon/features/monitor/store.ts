// Reads and writes what the monitoring has measured. Any number of rows is written in one statement.
import { sql, type RawBuilder } from 'kysely'
import type { StoreContext, ReadDb, WriteDb } from '../../platform/context.ts'
import { addIntervals } from '../../platform/series/store.ts'
import { HISTORY, type Bucket } from './bucket.ts'
import type { MonitorEventRow } from './table.ts'
import { addToTicks } from './store-ticks.ts'

/** Per tunnel; older ones are never shown (decisions.md, S5). */
export const EVENTS_KEPT = 20

export type NewEvent = Omit<MonitorEventRow, 'monitor_event_id'>

const EVENT = [
  'tunnel_id',
  'from_monitor_state_id',
  'to_monitor_state_id',
  'reason',
  'reason_message',
  'loss_percent',
  'rtt_avg_ms',
  'created_date',
] as const
/** Events of deleted tunnels are left out. Run it inside a transaction. */
export async function insertEvents(db: WriteDb, events: readonly NewEvent[]): Promise<void> {
  await sql`insert into monitor_event (${names(EVENT)}) ${existingOnly(EVENT, events)}`.execute(db)
  await sql`
    delete from monitor_event where monitor_event_id in (
      select monitor_event_id from (
        select monitor_event_id, row_number() over (partition by tunnel_id order by monitor_event_id desc) as place
        from monitor_event where tunnel_id in (select value ->> 'tunnel_id' from json_each(${JSON.stringify(events)}))
      ) where place > ${EVENTS_KEPT}
    )`.execute(db)
}

/** The newest first. */
export function findEvents(db: ReadDb, tunnel_id: number): Promise<MonitorEventRow[]> {
  return db
    .selectFrom('monitor_event')
    .selectAll()
    .where('tunnel_id', '=', tunnel_id)
    .orderBy('monitor_event_id', 'desc')
    .limit(EVENTS_KEPT)
    .execute()
}

/** The last reported state of each tunnel. */
export async function lastStates(db: ReadDb): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('monitor_event')
    .select(['tunnel_id', 'to_monitor_state_id'])
    .where('monitor_event_id', 'in', (inner) =>
      inner
        .selectFrom('monitor_event')
        .select((e) => e.fn.max('monitor_event_id').as('newest'))
        .groupBy('tunnel_id'),
    )
    .execute()
  return new Map(rows.map((row) => [row.tunnel_id, row.to_monitor_state_id]))
}

/** Adds the intervals with their ticks, also to an interval that is stored in part. Deleted tunnels are left out. */
export function addBuckets(db: StoreContext['db'], buckets: readonly Bucket[]): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    await addIntervals(transaction, HISTORY, buckets, isOfExisting)
    await addToTicks(transaction, buckets)
  })
}

export async function dropHistory(db: WriteDb, tunnel_id: number): Promise<void> {
  await db.deleteFrom('monitor_bucket').where('tunnel_id', '=', tunnel_id).execute()
  await db.deleteFrom('monitor_tick').where('tunnel_id', '=', tunnel_id).execute()
  await db.deleteFrom('monitor_event').where('tunnel_id', '=', tunnel_id).execute()
}

/** Deletes what a crash left of deleted tunnels. */
export async function dropHistoryOfDeletedTunnels(db: WriteDb): Promise<void> {
  const deleted = sql`select tunnel_id from tunnel where deleted_date is not null`
  await sql`delete from monitor_bucket where tunnel_id in (${deleted})`.execute(db)
  await sql`delete from monitor_tick where tunnel_id in (${deleted})`.execute(db)
  await sql`delete from monitor_event where tunnel_id in (${deleted})`.execute(db)
}

const names = (columns: readonly string[]): RawBuilder<unknown> => sql.join(columns.map((column) => sql.ref(column)))

const existingOnly = (columns: readonly string[], rows: readonly object[]): RawBuilder<unknown> => sql`
  select ${sql.join(columns.map((column) => sql`value ->> ${sql.lit(column)}`))} from json_each(${JSON.stringify(rows)})
  where ${isOfExisting}`

const isOfExisting = sql`value ->> 'tunnel_id' in (select tunnel_id from tunnel where deleted_date is null)`
