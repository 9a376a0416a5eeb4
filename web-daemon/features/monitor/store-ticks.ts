// The history of all tunnels in ticks: joined as it is stored, so that a list of tunnels reads 90 rows of each whatever
// the span (decisions.md, M7).
import { sql, type RawBuilder } from 'kysely'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { TIMES, type Bucket } from './bucket.ts'
import { timeSql } from './store-untimed.ts'
import { fromStoredJson } from '../../platform/db/stored-json.ts'

export const TICKS = 90
/** Seconds of a tick by the hours that 90 of them are. */
export const TICK_SECONDS = { 24: 960, 168: 6720, 720: 28_800, 2160: 86_400 } as const
export type TickHours = keyof typeof TICK_SECONDS
const LENGTHS = JSON.stringify(Object.values(TICK_SECONDS))

/** Where the oldest of the ticks begins, the newest of which is running. */
export function firstTick(now_seconds: number, tick_seconds: number): number {
  return (Math.floor(now_seconds / tick_seconds) - TICKS + 1) * tick_seconds
}

/** In the transaction that stores the intervals. Deleted tunnels are left out. */
export async function addToTicks(db: WriteDb, buckets: readonly Bucket[]): Promise<void> {
  const added = sql.join(
    TIMES.map((name) => sql`${sql.ref(name)} = ${sql.ref(`monitor_tick.${name}`)} + ${sql.ref(`excluded.${name}`)}`),
  )
  const sums = sql.join(TIMES.map((name) => sql`sum(bucket.value ->> ${sql.lit(name)})`))
  await sql`
    insert into monitor_tick (tick_seconds, tunnel_id, tick_start, worst_severity, ${names(TIMES)})
    select tick.value, bucket.value ->> 'tunnel_id', (bucket.value ->> 'bucket_start') / tick.value * tick.value,
      max(bucket.value ->> 'worst_severity'), ${sums}
    from json_each(${LENGTHS}) as tick, json_each(${JSON.stringify(buckets)}) as bucket
    where bucket.value ->> 'tunnel_id' in (select tunnel_id from tunnel where deleted_date is null)
    group by 1, 2, 3
    on conflict (tick_seconds, tunnel_id, tick_start) do update
      set ${added}, worst_severity = max(monitor_tick.worst_severity, excluded.worst_severity)`.execute(db)
}

/** SQLite blocks the thread while it joins so many minutes. */
const PIECE_S = 2048 * 60

/**
 * One piece of the history from before there were ticks, for each length: what was stored before the oldest tick, and
 * that tick, which may have been begun in its middle. Returns whether there was any.
 */
export async function fillTicks(db: WriteDb, tunnel_id: number, now_seconds: number): Promise<boolean> {
  let isFilled = false
  for (const tick_seconds of Object.values(TICK_SECONDS)) {
    const oldest = await oldestTick(db, tunnel_id, tick_seconds)
    const before = oldest ?? Math.ceil(now_seconds) + tick_seconds
    const newest = await newestBucket(db, tunnel_id, firstTick(now_seconds, tick_seconds), before)
    if (newest === null) continue
    isFilled = true
    const from = Math.floor(newest / tick_seconds) * tick_seconds
    const piece = Math.floor(PIECE_S / tick_seconds) * tick_seconds
    const first = Math.max(firstTick(now_seconds, tick_seconds), from - piece)
    await joinToTicks(db, { tunnel_id, tick_seconds, from: first, to: from + tick_seconds })
    if (oldest !== null) await joinToTicks(db, { tunnel_id, tick_seconds, from: oldest, to: oldest + tick_seconds })
  }
  return isFilled
}

async function oldestTick(db: ReadDb, tunnel_id: number, tick_seconds: number): Promise<number | null> {
  const row = await db
    .selectFrom('monitor_tick')
    .select((e) => e.fn.min('tick_start').as('oldest'))
    .where('tick_seconds', '=', tick_seconds)
    .where('tunnel_id', '=', tunnel_id)
    .executeTakeFirst()
  return row?.oldest ?? null
}

async function newestBucket(db: ReadDb, tunnel_id: number, from: number, before: number): Promise<number | null> {
  const row = await db
    .selectFrom('monitor_bucket')
    .select((e) => e.fn.max('bucket_start').as('newest'))
    .where('tunnel_id', '=', tunnel_id)
    .where('bucket_start', '>=', from)
    .where('bucket_start', '<', before)
    .executeTakeFirst()
  return row?.newest ?? null
}

/** One statement, so that no interval is stored meanwhile. */
async function joinToTicks(
  db: WriteDb,
  { tunnel_id, tick_seconds, from, to }: { tunnel_id: number; tick_seconds: number; from: number; to: number },
): Promise<void> {
  const length = sql.lit(tick_seconds)
  const sums = sql.join(TIMES.map((name) => sql`sum(${timeSql(name)})`))
  await sql`
    replace into monitor_tick (tick_seconds, tunnel_id, tick_start, worst_severity, ${names(TIMES)})
    select ${length}, tunnel_id, bucket_start / ${length} * ${length} as tick_start, max(worst_severity), ${sums}
    from monitor_bucket where tunnel_id = ${tunnel_id} and bucket_start >= ${from} and bucket_start < ${to}
    group by 3`.execute(db)
}

export interface TunnelTicks {
  readonly tunnel_id: number
  readonly up_ms: number
  readonly degraded_ms: number
  readonly down_ms: number
  /** Beginnings of the ticks that there are, and the worst of each. */
  readonly worst: readonly (readonly [start: number, severity: number])[]
}

/** Of these tunnels, since the beginning of a tick; summed up in SQL, which is faster than in rows. */
export async function findTicks(
  db: ReadDb,
  { tick_seconds, since, tunnel_ids }: { tick_seconds: number; since: number; tunnel_ids: readonly number[] },
): Promise<TunnelTicks[]> {
  const rows = await db
    .selectFrom('monitor_tick')
    .select((e) => [
      'tunnel_id',
      e.fn.sum<number>('up_ms').as('up_ms'),
      e.fn.sum<number>('degraded_ms').as('degraded_ms'),
      e.fn.sum<number>('down_ms').as('down_ms'),
      sql<string>`json_group_array(json_array(tick_start, worst_severity))`.as('worst'),
    ])
    .where('tick_seconds', '=', tick_seconds)
    .where('tunnel_id', 'in', sql<number>`(select value from json_each(${JSON.stringify(tunnel_ids)}))`)
    .where('tick_start', '>=', since)
    .groupBy('tunnel_id')
    .execute()
  return rows.map((row) => ({ ...row, worst: fromStoredJson(row.worst) as [number, number][] }))
}

/** Of these tunnels: those older than 90, and those older than the history is kept. */
export async function deleteOldTicks(
  db: WriteDb,
  tunnel_ids: readonly number[],
  { now_seconds, kept_since }: { now_seconds: number; kept_since: number },
): Promise<void> {
  for (const tick_seconds of Object.values(TICK_SECONDS))
    await db
      .deleteFrom('monitor_tick')
      .where('tick_seconds', '=', tick_seconds)
      .where('tunnel_id', 'in', sql<number>`(select value from json_each(${JSON.stringify(tunnel_ids)}))`)
      .where('tick_start', '<', Math.max(firstTick(now_seconds, tick_seconds), kept_since - tick_seconds))
      .execute()
}

const names = (columns: readonly string[]): RawBuilder<unknown> => sql.join(columns.map((column) => sql.ref(column)))
