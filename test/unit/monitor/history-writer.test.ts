// The history in the store: written in turn, read in pieces, given up in bites (decisions.md, M4).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { IN_MEMORY, openStore } from '@panel/web-daemon/app/store.ts'
import { intervalStart, type Span, type StoredPoint } from '@panel/web-daemon/platform/series/spans.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { makeMonitorPlan } from '@panel/web-daemon/features/monitor/probe-target.ts'
import { emptyBucket, type Bucket } from '@panel/web-daemon/features/monitor/bucket.ts'
import { HistoryWriter } from '@panel/web-daemon/features/monitor/history-writer.ts'
import { addBuckets } from '@panel/web-daemon/features/monitor/store.ts'
import { WatchedTunnel } from '@panel/web-daemon/features/monitor/watched-tunnel.ts'
import { insertTunnel } from '@panel/web-daemon/features/tunnels/store.ts'
import { settingsWith } from '../../support/settings.ts'
import { storedTunnel } from '../../support/records.ts'
import { findPoints, joinBuckets } from '../../support/intervals.ts'

const example = storedTunnel()
const BEGIN = Date.UTC(2026, 0, 1)
const MINUTE = 60_000

type Store = Awaited<ReturnType<typeof openStore>>

describe('The history in the store', () => {
  let db: Store
  beforeEach(async () => {
    db = await openStore(IN_MEMORY)
  })
  afterEach(() => db.destroy())

  const tunnels = (count: number): Promise<number[]> =>
    db.transaction().execute(async (transaction) => {
      const ids: number[] = []
      for (let at = 0; at < count; at++) {
        const { tunnel_id: _, ...record } = {
          ...example,
          interface_name: `gre-${at}`,
          address_pool_id: null,
          addresses: [],
        }
        ids.push(await insertTunnel(transaction, record))
      }
      return ids
    })
  const rows = async (): Promise<number> =>
    (
      await db
        .selectFrom('monitor_bucket')
        .select((e) => e.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
    ).count

  describe('of many tunnels', () => {
    let at: number
    let watched: WatchedTunnel[]
    let ledger: HistoryWriter
    const begin = async (count: number): Promise<void> => {
      at = BEGIN
      watched = (await tunnels(count)).map(
        (tunnel_id) => new WatchedTunnel(makeMonitorPlan({ ...example, tunnel_id }, settingsWith({})), null, at),
      )
      ledger = new HistoryWriter({
        db,
        now: () => new Date(at),
        logger: makeLogger({ write: () => undefined }),
        watched: () => watched,
        settings: settingsWith({}),
      })
    }
    const minute = async (): Promise<void> => {
      for (const one of watched) one.note(at)
      at += MINUTE
      await ledger.save()
    }

    it('is written some tunnels at a time, each with all its intervals, and none waits beyond its turn', async () => {
      await begin(250)
      const waiting: number[] = []
      for (let n = 0; n < 9; n++) {
        await minute()
        waiting.push(Math.max(...watched.map(({ buckets }) => buckets.length)))
      }
      assert.ok(Math.max(...waiting) <= 4, `${waiting}`)
      const counts = await db
        .selectFrom('monitor_bucket')
        .select((e) => [e.fn.countAll<number>().as('count')])
        .groupBy('tunnel_id')
        .execute()
      assert.ok(counts.length === 250 && counts.every(({ count }) => count >= 5))
    })

    it('is written whole, every interval of every tunnel, where the panel stops', async () => {
      await begin(250)
      for (let n = 0; n < 4; n++) await minute()
      await ledger.stop()
      assert.equal(await rows(), 250 * 5)
      assert.ok(watched.every(({ buckets }) => buckets.length === 0))
    })

    it('is given up in bites where the days that are kept were made fewer, until nothing of it is left', async () => {
      await begin(1)
      const tunnel_id = watched[0]?.plan.tunnel_id ?? 0
      const old = Array.from({ length: 25_000 }, (_, n) => emptyBucket(tunnel_id, BEGIN / 1000 - (31 * 1440 + n) * 60))
      for (let from = 0; from < old.length; from += 5000) await addBuckets(db, old.slice(from, from + 5000))
      await minute()
      const left = await rows()
      assert.ok(left > 0 && left < 10_000, `${left}`)
      await minute()
      assert.ok((await rows()) <= 2)
    })
  })

  const bucket = (bucket_start: number, worst_severity: number): Bucket => ({
    ...emptyBucket(1, bucket_start),
    sent_count: 60,
    received_count: 50,
    rtt_sum_us: bucket_start % 1000,
    rtt_min_us: bucket_start % 97,
    rtt_max_us: bucket_start % 89,
    worst_severity,
  })
  const naive = (buckets: readonly Bucket[], { from, to, resolution_seconds }: Span): StoredPoint<Bucket>[] => {
    const points = new Map<number, StoredPoint<Bucket>>()
    for (const one of buckets.filter(({ bucket_start }) => bucket_start >= from && bucket_start < to)) {
      const start = intervalStart(one.bucket_start, resolution_seconds)
      const known = points.get(start)
      points.set(
        start,
        known
          ? { ...joinBuckets(known, one), samples: known.samples + 1 }
          : { ...one, bucket_start: start, samples: 1 },
      )
    }
    return [...points.values()].sort((a, b) => a.bucket_start - b.bucket_start)
  }

  it('is the same read in pieces as joined at once, whatever the resolution, the range and the gaps in it', async () => {
    await tunnels(1)
    const minutes =
      fc.sample(fc.uniqueArray(fc.nat(20_000), { minLength: 2000, maxLength: 4000 }), { seed: 7, numRuns: 1 })[0] ?? []
    const buckets = minutes.map((n) => bucket(BEGIN / 1000 + n * 60, n % 5))
    await addBuckets(db, buckets)
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 400_000 }),
        fc.nat(1_300_000),
        fc.nat(1_300_000),
        fc.nat(5000),
        async (resolution_seconds, a, b, limit) => {
          const span = {
            from: BEGIN / 1000 + Math.min(a, b) - 50_000,
            to: BEGIN / 1000 + Math.max(a, b),
            resolution_seconds,
          }
          const whole = naive(buckets, span)
          assert.deepEqual(await findPoints(db, 1, span, limit), {
            points: limit === 0 ? [] : whole.slice(-limit),
            total: whole.length,
          })
        },
      ),
      { numRuns: 60 },
    )
  })
})
