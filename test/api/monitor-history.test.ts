// The stored history of tunnels (reference.md, GET /tunnels/{id}/history; decisions.md, M4).
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MonitorPoint } from '@panel/shared/api/monitor.ts'
import { emptyBucket, stateSeverity, type Bucket } from '@panel/web-daemon/features/monitor/bucket.ts'
import { addBuckets } from '@panel/web-daemon/features/monitor/store.ts'
import { eventually } from '../support/eventually.ts'
import { historyOf, startWatching, statusOf, toggle, wayOf, type WatchingPanel } from './support/monitor.ts'

/** The start of the interval that now is in, and of those before it. */
const minutesAgo = (minutes: number): number => Math.floor(Date.now() / 60_000) * 60 - minutes * 60
const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()

describe('The history of a tunnel', () => {
  let panel: WatchingPanel
  let id: number
  let name: string
  const begin = async (...parts: Parameters<typeof startWatching>): Promise<void> => {
    panel = await startWatching(...parts)
  }
  beforeEach(async () => {
    await begin()
    ;({ tunnel_id: id, name } = await panel.probed())
  })
  afterEach(() => panel.close())

  const stored = (bucket_start: number, fields: Partial<Bucket>): Bucket => ({
    ...emptyBucket(id, bucket_start),
    worst_severity: stateSeverity('Up'),
    ...fields,
  })
  const points = async (query = ''): Promise<MonitorPoint[]> => (await historyOf(panel.operator, id, query)).body.points
  /** Without the interval of now, which has begun. */
  const past = async (query = ''): Promise<MonitorPoint[]> =>
    (await points(query)).filter(({ bucket_start }) => Date.parse(bucket_start) < minutesAgo(0) * 1000 - 120_000)

  it('is of the last 24 hours, interval by interval, the newest last, what is not stored yet among it', async () => {
    await addBuckets(panel.db, [
      stored(minutesAgo(25 * 60), {}),
      stored(minutesAgo(20), {
        sent_count: 60,
        received_count: 57,
        rtt_sum_us: 570_000,
        rtt_min_us: 5000,
        rtt_max_us: 20_000,
        jitter_sum_us: 56_000,
        jitter_count: 56,
        up_ms: 50_500,
        down_ms: 9500,
      }),
    ])
    panel.prober.answer(name, 3, 8000)
    const { status, body } = await historyOf(panel.operator, id)
    assert.deepEqual([status, body.tunnel_id, body.resolution_seconds, body.total], [200, id, 60, body.points.length])
    assert.deepEqual(body.points[0], {
      bucket_start: iso(minutesAgo(20)),
      sent_count: 60,
      received_count: 57,
      loss_percent: 5,
      rtt_min_ms: 5,
      rtt_avg_ms: 10,
      rtt_max_ms: 20,
      jitter_ms: 1,
      worst_monitor_state_id: 20,
      worst_state: 'Up',
      up_seconds: 50.5,
      degraded_seconds: 0,
      down_seconds: 9.5,
      rx_bytes: null,
      tx_bytes: null,
      samples: 1,
    })
    const unsaved = body.points.slice(1)
    assert.deepEqual(
      [unsaved.reduce((all, { sent_count }) => all + sent_count, 0), unsaved.at(-1)?.worst_state],
      [3, 'Unknown'],
    )
  })

  it('keeps the worst state of each point where it is downsampled, and adds up the rest', async () => {
    const start = minutesAgo(180) - (minutesAgo(180) % 3600)
    const states = ['Up', 'Degraded', 'Down', 'Up', 'Disabled', 'Unknown'] as const
    await addBuckets(
      panel.db,
      states.map((state, i) =>
        stored(start + i * 600, {
          sent_count: 10,
          received_count: 10 - i,
          rtt_sum_us: 1000 * (10 - i),
          rtt_min_us: 500 + i,
          rtt_max_us: 2000 + i,
          worst_severity: stateSeverity(state),
        }),
      ),
    )
    const until = `to=${iso(start + 3600)}&from=${iso(start)}`
    assert.deepEqual(
      (await points(`?resolution_seconds=1200&${until}`)).map(
        ({ bucket_start, sent_count, received_count, worst_state, samples }) => [
          bucket_start,
          sent_count,
          received_count,
          worst_state,
          samples,
        ],
      ),
      [
        [iso(start), 20, 19, 'Degraded', 2],
        [iso(start + 1200), 20, 15, 'Down', 2],
        [iso(start + 2400), 20, 11, 'Unknown', 2],
      ],
    )
    const [hour] = await points(`?resolution_seconds=3600&${until}`)
    assert.deepEqual(
      [
        hour?.worst_state,
        hour?.worst_monitor_state_id,
        hour?.samples,
        hour?.loss_percent,
        hour?.rtt_min_ms,
        hour?.rtt_max_ms,
        hour?.rtt_avg_ms,
      ],
      ['Down', 40, 6, 25, 0.5, 2.005, 1],
    )
    assert.deepEqual(
      (await points(`?resolution_seconds=600&${until}`)).map(({ worst_state }) => worst_state),
      [...states],
    )
  })

  it('takes a time range, and of too many points the newest', async () => {
    await addBuckets(
      panel.db,
      Array.from({ length: 60 }, (_, i) => stored(minutesAgo(100 - i), { sent_count: i })),
    )
    const range = `from=${iso(minutesAgo(90))}&to=${iso(minutesAgo(60))}`
    assert.deepEqual(
      (await points(`?${range}`)).map(({ sent_count }) => sent_count),
      Array.from({ length: 30 }, (_, i) => 10 + i),
    )
    const { body } = await historyOf(panel.operator, id, `?${range}&limit=5`)
    assert.deepEqual([body.points.map(({ sent_count }) => sent_count), body.total], [[35, 36, 37, 38, 39], 30])
    assert.equal((await past(`?limit=many`)).length, 60)
  })

  it('is never finer than what is stored', async () => {
    await addBuckets(panel.db, [stored(minutesAgo(20), { sent_count: 60 })])
    const { body } = await historyOf(panel.operator, id, '?resolution_seconds=0.5')
    assert.deepEqual([body.resolution_seconds, body.points[0]?.sent_count], [60, 60])
  })

  it('refuses what is no instant and no number, every field at once', async () => {
    const { status, error } = await historyOf(
      panel.operator,
      id,
      '?from=yesterday&to=2026-13-45T&resolution_seconds=-5',
    )
    assert.deepEqual(
      [status, error.code, error.field, Object.keys(error.details).sort()],
      [422, 'VALIDATION_FAILED', 'from', ['fields', 'from', 'resolution_seconds', 'to']],
    )
    for (const resolution of ['0', 'NaN', '1e3', '99999999999'])
      assert.equal((await historyOf(panel.operator, id, `?resolution_seconds=${resolution}`)).status, 422, resolution)
    assert.equal(
      (await historyOf(panel.operator, id, `?from=${iso(minutesAgo(1))}&to=${iso(minutesAgo(9))}`)).error.field,
      'to',
    )
  })

  it('shows a tunnel that is not probed by its state, and Disabled where nothing else was', async () => {
    await panel.host.links.delete(name)
    await panel.until(id, 'Down')
    assert.equal((await points()).at(-1)?.worst_state, 'Down')
    await toggle(panel.operator, id, 'disable')
    panel.clock.advance(180)
    await panel.monitor.historyWriter.save()
    const last = (await points()).at(-1)
    assert.deepEqual([last?.worst_state, last?.sent_count, last?.loss_percent], ['Disabled', 0, null])
  })

  it('is stored once an interval is over, completed by what comes late, and given up after the days that the setting says', async () => {
    const count = async (): Promise<number> =>
      (await panel.db.selectFrom('monitor_bucket').selectAll().execute()).length
    await addBuckets(panel.db, [stored(minutesAgo(29 * 1440), {}), stored(minutesAgo(31 * 1440), {})])
    panel.prober.answer(name, 3)
    panel.prober.lose(name)
    panel.clock.advance(130)
    await panel.monitor.historyWriter.save()
    assert.deepEqual([(await past()).length, await count()], [0, 2])
    panel.prober.answerLate(name)
    const sent = (await points()).filter(({ sent_count }) => sent_count > 0)
    assert.deepEqual(
      sent.map(({ sent_count, received_count, rtt_max_ms, samples }) => [
        sent_count,
        received_count,
        rtt_max_ms,
        samples,
      ]),
      [[4, 4, 2500, 1]],
    )
    await panel.monitor.historyWriter.save()
    assert.deepEqual(
      (await points()).filter(({ sent_count }) => sent_count > 0),
      sent,
    )
  })

  it('and what cannot be stored is stored the next time; health says so meanwhile', async () => {
    panel.prober.answer(name, 3)
    await panel.db.schema.alterTable('monitor_bucket').renameTo('elsewhere').execute()
    panel.clock.advance(130)
    await panel.monitor.historyWriter.save()
    const { body } = await panel.operator.get<{ components: { name: string; status: string; detail: string }[] }>(
      '/system/health',
    )
    assert.match(body.components.find((one) => one.name === 'monitor')?.detail ?? '', /The history cannot be stored/)
    await panel.db.schema.alterTable('elsewhere').renameTo('monitor_bucket').execute()
    await panel.monitor.historyWriter.save()
    assert.equal(
      (await points()).reduce((all, { sent_count }) => all + sent_count, 0),
      3,
    )
  })

  it('goes over a restart of the panel: nothing is lost, and a tunnel found as it was left has not changed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'panel-monitor-'))
    try {
      await panel.close()
      const store = join(directory, 'panel.db')
      await begin({ store })
      ;({ tunnel_id: id, name } = await panel.up())
      assert.deepEqual(wayOf((await statusOf(panel.operator, id)).events), ['Unknown to Up'])
      await panel.close()
      await begin({ store }, panel.host)
      await eventually(() => panel.prober.of(name) !== undefined, 'probed again')
      panel.prober.answer(name, 5)
      const { state, events } = await statusOf(panel.operator, id)
      assert.deepEqual([state, wayOf(events)], ['Up', ['Unknown to Up']])
      assert.equal(
        (await points()).reduce((all, { sent_count }) => all + sent_count, 0),
        10,
      )
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
