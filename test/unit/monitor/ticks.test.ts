// The history of all tunnels in ticks, as a list shows it: the same as the intervals say, whenever they were stored
// (decisions.md, M7).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { sql } from 'kysely'
import { IN_MEMORY, openStore } from '@panel/web-daemon/app/store.ts'
import { emptyBucket, type Bucket } from '@panel/web-daemon/features/monitor/bucket.ts'
import { addBuckets, dropHistory } from '@panel/web-daemon/features/monitor/store.ts'
import { deleteOldTicks, findTicks, firstTick, TICKS } from '@panel/web-daemon/features/monitor/store-ticks.ts'
import { TICK_SECONDS } from '@panel/shared/api/queries.ts'
import { insertTunnel } from '@panel/web-daemon/features/tunnels/store.ts'
import { storedTunnel } from '../../support/records.ts'

type Store = Awaited<ReturnType<typeof openStore>>

const NOW = Date.UTC(2026, 2, 10, 12, 0, 20) / 1000
const LENGTHS = Object.values(TICK_SECONDS)
const minutesAgo = (minutes: number): number => Math.floor(NOW / 60) * 60 - minutes * 60

const addTunnel = async (db: Store, interface_name = 'gre-a-1'): Promise<number> => {
  const { tunnel_id: _, ...record } = { ...storedTunnel(), interface_name, address_pool_id: null, addresses: [] }
  return insertTunnel(db, record)
}

/** Severities and times follow from the minute, so that whatever is left out or counted twice shows. */
const bucketOf = (tunnel_id: number, minutes: number): Bucket => ({
  ...emptyBucket(tunnel_id, minutesAgo(minutes)),
  worst_severity: minutes % 5,
  up_ms: minutes,
  down_ms: (minutes * 7) % 60_000,
})

/** What the ticks should be. */
const naive = (buckets: readonly Bucket[], tick_seconds: number): Map<number, number[]> => {
  const ticks = new Map<number, number[]>()
  for (const { bucket_start, worst_severity, up_ms, down_ms } of buckets) {
    const start = Math.floor(bucket_start / tick_seconds) * tick_seconds
    if (start < firstTick(NOW, tick_seconds)) continue
    const [worst, up, down] = ticks.get(start) ?? [0, 0, 0]
    ticks.set(start, [Math.max(worst ?? 0, worst_severity), (up ?? 0) + up_ms, (down ?? 0) + down_ms])
  }
  return ticks
}

const storedTicks = async (db: Store, tunnel_id: number, tick_seconds: number): Promise<Map<number, number[]>> => {
  const rows = await db
    .selectFrom('monitor_tick')
    .selectAll()
    .where('tick_seconds', '=', tick_seconds)
    .where('tunnel_id', '=', tunnel_id)
    .orderBy('tick_start')
    .execute()
  return new Map(
    rows
      .filter(({ tick_start }) => tick_start >= firstTick(NOW, tick_seconds))
      .map(({ tick_start, worst_severity, up_ms, down_ms }) => [tick_start, [worst_severity, up_ms, down_ms]]),
  )
}
const inOrder = (ticks: Map<number, number[]>): [number, number[]][] => [...ticks].sort(([a], [b]) => a - b)

describe('The ticks of a history', () => {
  let db: Store
  afterEach(() => db.destroy())

  it('are the intervals joined, of every length, in whatever parts and order these were stored', async () => {
    db = await openStore(IN_MEMORY)
    await addTunnel(db)
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(95 * 1440), { minLength: 1, maxLength: 300 }),
        fc.nat(50),
        async (all, size) => {
          await dropHistory(db, 1)
          const buckets = all.map((minutes) => bucketOf(1, minutes))
          for (let at = 0; at < buckets.length; at += size + 1) await addBuckets(db, buckets.slice(at, at + size + 1))
          for (const length of LENGTHS)
            assert.deepEqual(inOrder(await storedTicks(db, 1, length)), inOrder(naive(buckets, length)))
          for (const length of LENGTHS) assert.ok((await storedTicks(db, 1, length)).size <= TICKS)
        },
      ),
      { numRuns: 30 },
    )
  })

  it('are given up once they are older than 90, or than the history is kept, and with their tunnel', async () => {
    db = await openStore(IN_MEMORY)
    await addTunnel(db)
    await addBuckets(
      db,
      [1, 2 * 1440, 20 * 1440, 200 * 1440].map((minutes) => bucketOf(1, minutes)),
    )
    const count = async (length: number): Promise<number> =>
      (await db.selectFrom('monitor_tick').select('tick_start').where('tick_seconds', '=', length).execute()).length
    await deleteOldTicks(db, [1], { now_seconds: NOW, kept_since: 0 })
    assert.deepEqual(await Promise.all(LENGTHS.map(count)), [1, 2, 3, 3])
    await deleteOldTicks(db, [1], { now_seconds: NOW, kept_since: NOW - 5 * 86_400 })
    assert.deepEqual(await Promise.all(LENGTHS.map(count)), [1, 2, 2, 2])
    await dropHistory(db, 1)
    assert.deepEqual(await Promise.all(LENGTHS.map(count)), [0, 0, 0, 0])
  })

  it('of a thousand tunnels over 90 days are read at once', async function () {
    db = await openStore(IN_MEMORY)
    for (let n = 1; n <= 1000; n++) await addTunnel(db, `gre-${n}`)
    await sql`insert into monitor_tick
      select 86400, tunnel_id, ${firstTick(NOW, 86_400)} + value * 86400, 1, 86400000, 0, 0
      from tunnel, json_each(${JSON.stringify([...Array(TICKS).keys()])})`.execute(db)
    const tunnel_ids = [...Array(1000).keys()].map((n) => n + 1)
    const found = await findTicks(db, { tick_seconds: 86_400, since: firstTick(NOW, 86_400), tunnel_ids })
    assert.deepEqual([found.length, found[0]?.worst.length, found[999]?.up_ms], [1000, TICKS, TICKS * 86_400_000])
  })
})
