// Reads and writes the traffic of rules: totals, and the traffic of each interval.
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { addIntervals } from '../../platform/series/store.ts'
import { TRAFFIC_HISTORY, type Bucket } from './bucket.ts'
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
  await addIntervals(db, TRAFFIC_HISTORY, buckets)
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

export async function inPieces<T, R>(
  all: readonly T[],
  work: (some: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < all.length; at += AT_ONCE) results.push(...(await work(all.slice(at, at + AT_ONCE))))
  return results
}
