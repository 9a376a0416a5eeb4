// The history of the host: summed up by interval, stored once it is over, and small (decisions.md, M1, M4).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { sql } from 'kysely'
import { messageFields, verbatim } from '@panel/shared/messages/message.ts'
import { IN_MEMORY, openStore } from '@panel/web-daemon/app/store.ts'
import { figuresOf, HOST_HISTORY, type HostBucket } from '@panel/web-daemon/features/metrics/host-bucket.ts'
import { HostHistory, UNSAVED_MAX } from '@panel/web-daemon/features/metrics/host-history.ts'
import { HostReader, type HostReading } from '@panel/web-daemon/features/metrics/host-reader.ts'
import { Interfaces } from '@panel/web-daemon/features/metrics/interfaces.ts'
import { routesBrief } from '@panel/web-daemon/features/metrics/routes-snapshot.ts'
import { FakeHost } from '../../support/fake-host.ts'
import { settingsWith } from '../../support/settings.ts'
import { addHostBuckets, emptyHostBucket, joinHostBuckets } from '../../support/intervals.ts'

const BEGIN_S = Date.UTC(2026, 0, 1) / 1000
const DAY_S = 86_400
const figure = fc.option(fc.nat(1_000_000))
const bucket = fc
  .record(Object.fromEntries(HOST_HISTORY.figures.map(([name]) => [name, figure])))
  .map((figures) => ({ ...emptyHostBucket(BEGIN_S), ...figures }))

describe('The history of the host', () => {
  let db: Awaited<ReturnType<typeof openStore>>
  let at_s: number
  let history: HostHistory
  let reading: HostReading
  beforeEach(async () => {
    db = await openStore(IN_MEMORY)
    at_s = BEGIN_S
    history = new HostHistory({ db, now: () => new Date(at_s * 1000), settings: settingsWith() })
    const settings = settingsWith()
    const host = new FakeHost()
    host.disks.set('/', async () => ({ bsize: 4096, blocks: 1000, bfree: 250, bavail: 250, files: 100, ffree: 75 }))
    const reader = new HostReader({
      host,
      settings,
      interfaces: new Interfaces(host, settings, new Map()),
      routes: { brief: async () => routesBrief(0, []), all: async () => [] },
    })
    reading = await reader.read(new Date(at_s * 1000), 1, new Map())
  })
  afterEach(() => db.destroy())

  const stored = (): Promise<HostBucket[]> => db.selectFrom('host_bucket').selectAll().orderBy('bucket_start').execute()

  it('joins to the same whole in whatever order and grouping, in the store too', async () => {
    await fc.assert(
      fc.asyncProperty(bucket, bucket, bucket, async (a, b, c) => {
        const whole = joinHostBuckets(joinHostBuckets(a, b), c)
        assert.deepEqual(joinHostBuckets(a, joinHostBuckets(c, b)), whole)
        assert.deepEqual(joinHostBuckets(emptyHostBucket(BEGIN_S), a), a)
        await db.deleteFrom('host_bucket').execute()
        for (const one of [a, b, c]) await addHostBuckets(db, [one])
        assert.deepEqual(await stored(), [whole])
      }),
      { numRuns: 30 },
    )
  })

  it('knows nothing of what could not be read, which is no zero', () => {
    const whole = figuresOf(reading, 2)
    assert.equal(whole.disk_max, 7500)
    assert.equal(whole.memory_max, Math.round(reading.memory.used_percent * 100))
    const parts = ['cpu', 'memory', 'network'] as const
    const failed = {
      ...reading,
      disks: [],
      errors: parts.map((part) => ({ part, ...messageFields('detail', verbatim('No such file')) })),
    }
    assert.deepEqual({ bucket_start: BEGIN_S, ...figuresOf(failed, 2) }, emptyHostBucket(BEGIN_S))
  })

  it('leaves out a disk that is full for good', () => {
    const [disk] = reading.disks
    assert.ok(disk)
    const image = { ...disk, is_read_only: true, used_percent: 100 }
    assert.equal(figuresOf({ ...reading, disks: [disk, image] }, 1).disk_max, 7500)
  })

  it('stores an interval once it is over, and the last one at the end', async () => {
    history.add(reading, 1)
    at_s += 30
    history.add(reading, 1)
    await history.save(false)
    assert.deepEqual([await stored(), history.unsaved.length], [[], 1])
    at_s += 30
    history.add(reading, 1)
    await history.save(false)
    assert.deepEqual(
      (await stored()).map(({ bucket_start, cpu_count }) => [bucket_start, cpu_count]),
      [[BEGIN_S, 2]],
    )
    await history.save(true)
    assert.deepEqual([(await stored()).length, history.unsaved.length], [2, 0])
  })

  it('keeps what cannot be written, and writes it with the next run', async () => {
    history.add(reading, 1)
    await sql`alter table host_bucket rename to gone`.execute(db)
    await assert.rejects(history.save(true), /host_bucket/)
    assert.equal(history.unsaved.length, 1)
    await sql`alter table gone rename to host_bucket`.execute(db)
    await history.save(true)
    assert.equal((await stored())[0]?.cpu_count, 1)
  })

  it('forgets the oldest where the store cannot be written for long', async () => {
    await sql`alter table host_bucket rename to gone`.execute(db)
    for (let at = 0; at <= UNSAVED_MAX; at += 1) {
      history.add(reading, 1)
      at_s += 60
    }
    await assert.rejects(history.save(true), /host_bucket/)
    assert.deepEqual([history.unsaved.length, history.unsaved[0]?.bucket_start], [UNSAVED_MAX, BEGIN_S + 60])
  })

  it('takes less than 80 KB a day, however busy the host is', async () => {
    const pages = async (): Promise<number> => {
      const { rows } = await sql<{ bytes: number }>`
        select (select page_count from pragma_page_count) * (select page_size from pragma_page_size) as bytes`.execute(
        db,
      )
      return rows[0]?.bytes ?? 0
    }
    const before = await pages()
    const busy: Omit<HostBucket, 'bucket_start'> = {
      cpu_count: 60,
      cpu_sum: 600_000,
      cpu_max: 10_000,
      memory_count: 60,
      memory_sum: 600_000,
      memory_max: 10_000,
      disk_max: 10_000,
      rx_bytes: 75e9,
      tx_bytes: 75e9,
    }
    const minutes = Array.from({ length: DAY_S / 60 }, (_, at) => ({ bucket_start: BEGIN_S + at * 60, ...busy }))
    await addHostBuckets(db, minutes)
    const taken = (await pages()) - before
    assert.ok(taken > 0 && taken < 80_000, `${taken} bytes`)
  })
})
