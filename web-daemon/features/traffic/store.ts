// Reads and writes the traffic of rules: totals, and the traffic of each interval.
import { sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { newestPoints, intervalStartSql, type Span } from '../../platform/db/spans.ts'
import type { Bucket } from './bucket.ts'
import type { TrafficDelta } from './delta.ts'
import type { StoredTotal } from './accumulator.ts'

/** Rows per statement: SQLite limits the number of variables. */
const AT_ONCE = 500

export async function allTotals(db: ReadDb): Promise<Map<number, StoredTotal>> {
  const rows = await db.selectFrom('route_total').selectAll().execute()
  return new Map(
    rows.map((row) => [
      row.route_rule_id,
      {
        total: {
          rx_bytes: row.rx_bytes,
          tx_bytes: row.tx_bytes,
          rx_packets: row.rx_packets,
          tx_packets: row.tx_packets,
        },
        counter: {
          rx_bytes: row.seen_rx_bytes,
          tx_bytes: row.seen_tx_bytes,
          rx_packets: row.seen_rx_packets,
          tx_packets: row.seen_tx_packets,
        },
        epoch: row.seen_epoch,
        fast: {
          rx_bytes: row.fast_rx_bytes,
          tx_bytes: row.fast_tx_bytes,
          rx_packets: row.fast_rx_packets,
          tx_packets: row.fast_tx_packets,
        },
        fast_epoch: row.fast_epoch,
        twice: {
          rx_bytes: row.twice_rx_bytes,
          tx_bytes: row.twice_tx_bytes,
          rx_packets: row.twice_rx_packets,
          tx_packets: row.twice_tx_packets,
        },
      },
    ]),
  )
}

/** Ids that the store knows, deleted rules included. */
export async function storedIds(db: ReadDb, ids: readonly number[]): Promise<Set<number>> {
  const rows = await inPieces(ids, (some) =>
    db
      .selectFrom('route_rule')
      .select('route_rule_id')
      .where('route_rule_id', 'in', [...some])
      .execute(),
  )
  return new Set(rows.map(({ route_rule_id }) => route_rule_id))
}

/** Totals and intervals must be of the same moment: run it inside a transaction. */
export async function saveTraffic(
  db: WriteDb,
  sums: ReadonlyMap<number, StoredTotal>,
  buckets: readonly Bucket[],
  now: string,
): Promise<void> {
  await saveSums(db, sums, now)
  await saveBuckets(db, buckets)
}

async function saveSums(db: WriteDb, sums: ReadonlyMap<number, StoredTotal>, now: string): Promise<void> {
  const rows = [...sums].map(([route_rule_id, { total, counter, epoch, fast, fast_epoch, twice }]) => ({
    route_rule_id,
    ...total,
    seen_rx_bytes: counter.rx_bytes,
    seen_tx_bytes: counter.tx_bytes,
    seen_rx_packets: counter.rx_packets,
    seen_tx_packets: counter.tx_packets,
    seen_epoch: epoch,
    fast_rx_bytes: fast.rx_bytes,
    fast_tx_bytes: fast.tx_bytes,
    fast_rx_packets: fast.rx_packets,
    fast_tx_packets: fast.tx_packets,
    fast_epoch,
    twice_rx_bytes: twice.rx_bytes,
    twice_tx_bytes: twice.tx_bytes,
    twice_rx_packets: twice.rx_packets,
    twice_tx_packets: twice.tx_packets,
    updated_date: now,
  }))
  await inPieces(rows, async (some) => {
    await db
      .replaceInto('route_total')
      .values([...some])
      .execute()
    return []
  })
}

/**
 * Adds to the intervals that are stored already. In SQL a sum with null is null, and so is max() of null and anything.
 */
async function saveBuckets(db: WriteDb, buckets: readonly Bucket[]): Promise<void> {
  const sumSql = (column: keyof TrafficDelta | 'new_connections') =>
    sql<number>`${sql.ref(`route_bucket.${column}`)} + ${sql.ref(`excluded.${column}`)}`
  const joined = {
    rx_bytes: sumSql('rx_bytes'),
    tx_bytes: sumSql('tx_bytes'),
    rx_packets: sumSql('rx_packets'),
    tx_packets: sumSql('tx_packets'),
    new_connections: sumSql('new_connections'),
    active_connections: sql<
      number | null
    >`coalesce(max(route_bucket.active_connections, excluded.active_connections), route_bucket.active_connections, excluded.active_connections)`,
  }
  await inPieces(buckets, async (some) => {
    await db
      .insertInto('route_bucket')
      .values([...some])
      .onConflict((conflict) => conflict.columns(['route_rule_id', 'bucket_start']).doUpdateSet(joined))
      .execute()
    return []
  })
}

/** Intervals joined to points of the resolution, oldest first; if there are more than `limit`, the newest. */
export async function findBuckets(
  db: ReadDb,
  route_rule_id: number,
  span: Span,
  limit: number,
): Promise<{ points: Bucket[]; total: number }> {
  const bounds = await db
    .selectFrom('route_bucket')
    .where('route_rule_id', '=', route_rule_id)
    .select((e) => [e.fn.min('bucket_start').as('oldest'), e.fn.max('bucket_start').as('newest')])
    .executeTakeFirstOrThrow()
  return newestPoints(span, limit, {
    bounds,
    read: (piece) => findJoined(db, route_rule_id, piece),
    count: (piece) => countPoints(db, route_rule_id, piece),
  })
}

const inSpan = (db: ReadDb, route_rule_id: number, { from, to }: Span) =>
  db
    .selectFrom('route_bucket')
    .where('route_rule_id', '=', route_rule_id)
    .where('bucket_start', '>=', from)
    .where('bucket_start', '<', to)

async function countPoints(db: ReadDb, route_rule_id: number, span: Span): Promise<number> {
  const { count } = await inSpan(db, route_rule_id, span)
    .select(sql<number>`count(distinct ${intervalStartSql(span.resolution_seconds)})`.as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Newest first. Joined like joinBuckets: new connections are unknown if they are for a part. */
async function findJoined(db: ReadDb, route_rule_id: number, span: Span): Promise<Bucket[]> {
  const sums = (['rx_bytes', 'tx_bytes', 'rx_packets', 'tx_packets'] as const).map((name) =>
    sql<number>`sum(${sql.ref(name)})`.as(name),
  )
  const rows = await inSpan(db, route_rule_id, span)
    .select([intervalStartSql(span.resolution_seconds).as('start'), ...sums])
    .select((e) => e.fn.max('active_connections').as('active_connections'))
    .select(
      sql<number | null>`case when count(new_connections) = count(*) then sum(new_connections) end`.as(
        'new_connections',
      ),
    )
    .groupBy('start')
    .orderBy('start', 'desc')
    .execute()
  return rows.map(({ start: bucket_start, ...row }) => ({ route_rule_id, bucket_start, ...row }))
}

export async function deleteBucketsBefore(db: WriteDb, bucket_start: number): Promise<void> {
  await db.deleteFrom('route_bucket').where('bucket_start', '<', bucket_start).execute()
}

async function inPieces<T, R>(all: readonly T[], work: (some: readonly T[]) => Promise<readonly R[]>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < all.length; at += AT_ONCE) results.push(...(await work(all.slice(at, at + AT_ONCE))))
  return results
}
