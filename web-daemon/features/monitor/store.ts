// Reads and writes what the monitoring has measured. Any number of rows is written in one statement.
import { sql, type RawBuilder } from 'kysely'
import type { StoreContext, ReadDb, WriteDb } from '../../platform/context.ts'
import { intervalStartSql, joinedSql, newestPoints, type Span, type StoredPoint } from '../../platform/db/spans.ts'
import { BYTES, TIMES, type Bucket } from './bucket.ts'
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
const STORED = [
  'tunnel_id',
  'bucket_start',
  'sent_count',
  'received_count',
  'rtt_sum_us',
  'rtt_min_us',
  'rtt_max_us',
  'jitter_sum_us',
  'jitter_count',
  'worst_severity',
  ...TIMES,
  ...BYTES,
] as const
const SUMMED = ['sent_count', 'received_count', 'rtt_sum_us', 'jitter_sum_us', 'jitter_count', ...TIMES] as const
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
    await storeBuckets(transaction, buckets)
    await addToTicks(transaction, buckets)
  })
}

async function storeBuckets(db: WriteDb, buckets: readonly Bucket[]): Promise<void> {
  const added = sql.join(
    SUMMED.map((name) => sql`${sql.ref(name)} = ${sql.ref(`monitor_bucket.${name}`)} + ${sql.ref(`excluded.${name}`)}`),
  )
  const joined = [
    ...BYTES.map((name) => joinedSql('monitor_bucket', name, 'sum')),
    joinedSql('monitor_bucket', 'rtt_min_us', 'min'),
    joinedSql('monitor_bucket', 'rtt_max_us', 'max'),
  ]
  await sql`
    insert into monitor_bucket (${names(STORED)}) ${existingOnly(STORED, buckets)}
    on conflict (tunnel_id, bucket_start) do update set ${added}, ${sql.join(joined)},
      worst_severity = max(monitor_bucket.worst_severity, excluded.worst_severity)`.execute(db)
}

/** Deletes at most `most` rows of the given tunnels. Returns how many were deleted. */
export async function deleteBucketsBefore(
  db: WriteDb,
  tunnel_ids: readonly number[],
  bucket_start: number,
  most: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from monitor_bucket where (tunnel_id, bucket_start) in (
      select tunnel_id, bucket_start from monitor_bucket
      where tunnel_id in (select value from json_each(${JSON.stringify(tunnel_ids)})) and bucket_start < ${bucket_start} limit ${most}
    )`.execute(db)
  return Number(numAffectedRows)
}

/** Intervals joined to points of the resolution, oldest first; if there are more than `limit`, the newest. */
export async function findPoints(
  db: ReadDb,
  tunnel_id: number,
  span: Span,
  limit: number,
): Promise<{ points: StoredPoint<Bucket>[]; total: number }> {
  const buckets = db.selectFrom('monitor_bucket').where('tunnel_id', '=', tunnel_id)
  const bounds = await buckets
    .select((e) => [e.fn.min('bucket_start').as('oldest'), e.fn.max('bucket_start').as('newest')])
    .executeTakeFirstOrThrow()
  return newestPoints(span, limit, {
    bounds,
    read: (piece) => findJoined(db, tunnel_id, piece),
    count: (piece) => countPoints(db, tunnel_id, piece),
  })
}

const inSpan = (db: ReadDb, tunnel_id: number, { from, to }: Span) =>
  db
    .selectFrom('monitor_bucket')
    .where('tunnel_id', '=', tunnel_id)
    .where('bucket_start', '>=', from)
    .where('bucket_start', '<', to)

async function countPoints(db: ReadDb, tunnel_id: number, span: Span): Promise<number> {
  const { count } = await inSpan(db, tunnel_id, span)
    .select(sql<number>`count(distinct ${intervalStartSql(span.resolution_seconds)})`.as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** The newest first. */
async function findJoined(db: ReadDb, tunnel_id: number, span: Span): Promise<StoredPoint<Bucket>[]> {
  const sums = SUMMED.map((name) => sql<number>`sum(${sql.ref(name)})`.as(name))
  const bytes = BYTES.map((name) => sql<number | null>`sum(${sql.ref(name)})`.as(name))
  const rows = await inSpan(db, tunnel_id, span)
    .select([intervalStartSql(span.resolution_seconds).as('start'), ...sums, ...bytes])
    .select((e) => [
      e.fn.min('rtt_min_us').as('rtt_min_us'),
      e.fn.max('rtt_max_us').as('rtt_max_us'),
      e.fn.max('worst_severity').as('worst_severity'),
      e.fn.countAll<number>().as('samples'),
    ])
    .groupBy('start')
    .orderBy('start', 'desc')
    .execute()
  return rows.map(({ start: bucket_start, ...row }) => ({ tunnel_id, bucket_start, ...row }))
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
  where value ->> 'tunnel_id' in (select tunnel_id from tunnel where deleted_date is null)`
