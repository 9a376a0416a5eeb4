// The history of all tunnels in ticks: joined as it is stored, so that a list of tunnels reads 90 rows of each whatever
// the span (decisions.md, M7).
import { TICK_SECONDS } from '@panel/shared/api/queries.ts'
import { sql, type RawBuilder } from 'kysely'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { isAmong } from '../../platform/db/among.ts'
import { TIMES, type Bucket } from './bucket.ts'
import { fromStoredJson } from '../../platform/db/stored-json.ts'

export const TICKS = 90
const LENGTHS = JSON.stringify(Object.values(TICK_SECONDS))

/** The beginning of the oldest of the ticks, the newest of which is running. */
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

export interface TunnelTicks {
  readonly tunnel_id: number
  readonly up_ms: number
  readonly degraded_ms: number
  readonly down_ms: number
  /** Beginnings of the ticks that there are, and the worst of each. */
  readonly worst: readonly (readonly [start: number, severity: number])[]
}

/** The ticks of these tunnels since the beginning of a tick; summed up in SQL, which is faster than in rows. */
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
    .where(isAmong('tunnel_id', tunnel_ids))
    .where('tick_start', '>=', since)
    .groupBy('tunnel_id')
    .execute()
  return rows.map((row) => ({ ...row, worst: fromStoredJson(row.worst) as [number, number][] }))
}

/** Deletes the ticks of these tunnels older than 90, and those older than the history is kept. */
export async function deleteOldTicks(
  db: WriteDb,
  tunnel_ids: readonly number[],
  { now_seconds, kept_since }: { now_seconds: number; kept_since: number },
): Promise<void> {
  for (const tick_seconds of Object.values(TICK_SECONDS))
    await db
      .deleteFrom('monitor_tick')
      .where('tick_seconds', '=', tick_seconds)
      .where(isAmong('tunnel_id', tunnel_ids))
      .where('tick_start', '<', Math.max(firstTick(now_seconds, tick_seconds), kept_since - tick_seconds))
      .execute()
}

const names = (columns: readonly string[]): RawBuilder<unknown> => sql.join(columns.map((column) => sql.ref(column)))
