// The stored load and traffic of the host (reference.md, GET /system/history; decisions.md, M1, M4).
import assert from 'node:assert/strict'
import type { HostHistoryAnswer, HostPoint } from '@panel/shared/api/metrics.ts'
import { type HostBucket } from '@panel/web-daemon/features/metrics/host-bucket.ts'
import { eventually } from '../support/eventually.ts'
import { FakeHost } from '../support/fake-host.ts'
import { addHostBuckets, emptyHostBucket } from '../support/intervals.ts'
import { settingsWith } from '../support/settings.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()

describe('The history of the host', () => {
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    panel = await startPanel({
      metrics: { host: new FakeHost(), settings: settingsWith({ 'metrics.sample_interval_seconds': 0.2 }) },
    })
    operator = await panel.setUp()
  })
  afterEach(() => panel.close())

  const minutesAgo = (minutes: number): number => (Math.floor(Date.now() / 60_000) - minutes) * 60
  const store = (...buckets: (Partial<HostBucket> & Pick<HostBucket, 'bucket_start'>)[]): Promise<void> =>
    addHostBuckets(
      panel.db,
      buckets.map((bucket) => ({ ...emptyHostBucket(bucket.bucket_start), ...bucket })),
    )
  const history = async (query = ''): Promise<HostHistoryAnswer> => {
    const { status, body } = await operator.get<HostHistoryAnswer>(`/system/history${query}`)
    assert.equal(status, 200)
    return body
  }
  const starts = (points: readonly HostPoint[]): string[] => points.map(({ bucket_start }) => bucket_start)

  it('is of the last 24 hours, interval by interval, the newest last', async () => {
    await store(
      { bucket_start: minutesAgo(25 * 60), cpu_count: 1, cpu_sum: 100, cpu_max: 100 },
      {
        bucket_start: minutesAgo(20),
        cpu_count: 30,
        cpu_sum: 30 * 1250,
        cpu_max: 9900,
        memory_count: 30,
        memory_sum: 30 * 4000,
        memory_max: 4100,
        disk_max: 7350,
        rx_bytes: 6000,
        tx_bytes: 600,
      },
      { bucket_start: minutesAgo(10) },
    )
    const { points, total, resolution_seconds } = await history()
    assert.deepEqual([total, resolution_seconds], [2, 60])
    assert.deepEqual(points[0], {
      bucket_start: iso(minutesAgo(20)),
      cpu_avg_percent: 12.5,
      cpu_max_percent: 99,
      memory_avg_percent: 40,
      memory_max_percent: 41,
      disk_max_percent: 73.5,
      rx_bytes: 6000,
      tx_bytes: 600,
      samples: 1,
    })
    const unread = Object.entries(points[1] ?? {}).filter(([name]) => name !== 'bucket_start' && name !== 'samples')
    assert.deepEqual(
      unread.map(([, value]) => value),
      Array(7).fill(null),
    )
  })

  it('has the worst and the mean of what is joined, of a range and with a limit', async () => {
    const start = minutesAgo(180) - (minutesAgo(180) % 3600)
    await store(
      { bucket_start: start, cpu_count: 10, cpu_sum: 10_000, cpu_max: 2000, rx_bytes: 5 },
      { bucket_start: start + 60, cpu_count: 30, cpu_sum: 90_000, cpu_max: 9000, disk_max: 5000 },
      { bucket_start: start + 3600 },
      { bucket_start: start + 7200 },
    )
    const hours = `?resolution_seconds=3600&from=${iso(start)}`
    const [hour] = (await history(hours)).points
    assert.deepEqual(
      [hour?.cpu_avg_percent, hour?.cpu_max_percent, hour?.disk_max_percent, hour?.rx_bytes, hour?.samples],
      [25, 90, 50, 5, 2],
    )
    assert.deepEqual(starts((await history(`${hours}&to=${iso(start + 3600)}`)).points), [iso(start)])
    const newest = await history(`${hours}&limit=1`)
    assert.deepEqual([newest.total, starts(newest.points)], [3, [iso(start + 7200)]])
    assert.deepEqual((await history(`${hours}&limit=0`)).points, [])
  })

  it('holds each reading, and what is not stored yet', async () => {
    await panel.metrics.start()
    await eventually(() => panel.metrics.sampler.history(0).total >= 2, 'two readings')
    const { points } = await history()
    const last = points.at(-1)
    const { latest } = panel.metrics.sampler
    assert.ok(last && latest)
    assert.equal(last.memory_max_percent, latest.memory.used_percent)
    assert.equal(last.disk_max_percent, Math.max(...latest.disks.map(({ used_percent }) => used_percent)))
    assert.ok((last.cpu_avg_percent ?? -1) >= 0 && (last.rx_bytes ?? -1) >= 0)
    await panel.metrics.stop()
    assert.deepEqual((await history()).points.at(-1)?.memory_max_percent, last.memory_max_percent)
  })

  it('goes with the age that the history of tunnels goes with', async () => {
    await store({ bucket_start: minutesAgo(31 * 24 * 60) }, { bucket_start: minutesAgo(29 * 24 * 60) })
    await panel.metrics.start()
    await panel.metrics.stop()
    const { points } = await history(`?from=${iso(minutesAgo(40 * 24 * 60))}&to=${iso(minutesAgo(60))}`)
    assert.deepEqual(starts(points), [iso(minutesAgo(29 * 24 * 60))])
  })

  for (const [query, field] of [
    ['?from=yesterday', 'from'],
    ['?resolution_seconds=0', 'resolution_seconds'],
    ['?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'to'],
  ] as const)
    it(`refuses ${query} on its field`, async () => {
      const { status, body } = await operator.get<{ error: { field: string } }>(`/system/history${query}`)
      assert.deepEqual([status, body.error.field], [422, field])
    })
})
