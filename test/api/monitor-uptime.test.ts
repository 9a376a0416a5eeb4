// How long a tunnel was up, as its history tells it (reference.md, GET /tunnels/{id}/history; decisions.md, M4).
import assert from 'node:assert/strict'
import { MONITOR_STATES } from '@panel/shared/api/base/lookups.ts'
import type { MonitorUptimeAnswer } from '@panel/shared/api/monitor.ts'
import { TICK_SECONDS } from '@panel/shared/api/queries.ts'
import { emptyBucket, stateSeverity, type Bucket } from '@panel/web-daemon/features/monitor/bucket.ts'
import { addBuckets } from '@panel/web-daemon/features/monitor/store.ts'
import { FakeHost } from '../support/fake-host.ts'
import { settingsWith } from '../support/settings.ts'
import { historyOf, startWatching, toggle, type WatchingPanel } from './support/monitor.ts'

describe('The history of a tunnel that goes down', () => {
  let panel: WatchingPanel
  let id: number
  let name: string
  beforeEach(async () => {
    panel = await startWatching()
    ;({ tunnel_id: id, name } = await panel.probed())
  })
  afterEach(() => panel.close())

  it('tells for how long it was up and down to this moment, and nothing of the time when it was not measured', async () => {
    const total = async (): Promise<[number, number]> => {
      const all = (await historyOf(panel.operator, id, '?resolution_seconds=86400')).body.points
      return [all.reduce((sum, one) => sum + one.up_seconds, 0), all.reduce((sum, one) => sum + one.down_seconds, 0)]
    }
    // All of it in one part of the day, whose beginning the clock may otherwise pass between any two states.
    panel.clock.advance(TICK_SECONDS[24] - ((panel.clock.now().getTime() / 1000) % TICK_SECONDS[24]))
    panel.prober.answer(name, 8)
    const [up, down] = await total()
    panel.clock.advance(30)
    await panel.host.links.delete(name)
    await panel.until(id, 'Down')
    panel.clock.advance(12)
    const [later, isDown] = await total()
    assert.ok(later - up >= 30 && later - up < 40, `${later - up} s up`)
    assert.ok(isDown - down >= 12 && isDown - down < 22, `${isDown - down} s down`)
    const uptimes = (await panel.operator.get<MonitorUptimeAnswer>('/monitor/uptime')).body
    const [uptime] = uptimes.tunnels
    assert.deepEqual([uptime?.tunnel_id, uptime?.up_seconds], [id, later])
    const downFor = uptime?.down_seconds ?? 0
    assert.ok(downFor >= isDown && downFor < isDown + 5, `${downFor} s down`)
    assert.equal(uptime?.uptime_percent, 100 * (1 - downFor / (later + downFor)))
    const worst = uptime?.worst_monitor_state_ids ?? []
    assert.equal(worst.length, 90)
    assert.equal(worst.at(-1), MONITOR_STATES.Down)
    assert.ok(
      worst.slice(0, -2).every((state) => state === null),
      'nothing of the time before it was measured',
    )
    // It was created in the part before, and not probed there.
    assert.ok([null, MONITOR_STATES.Unknown].some((state) => state === worst.at(-2)))
    await toggle(panel.operator, id, 'disable')
    const before = await total()
    panel.clock.advance(100)
    assert.deepEqual(await total(), before)
  })
})

describe('The history of a tunnel that carries traffic', () => {
  it('tells the bytes of each interval, joined to points and stored, and of a time nobody counted in none', async () => {
    const machine = new FakeHost()
    machine.traffic({ 'gre-a-1': [1000, 2000] })
    const panel = await startWatching({
      metrics: { host: machine, settings: settingsWith({ 'metrics.sample_interval_seconds': 3600 }) },
    })
    try {
      const { tunnel_id } = await panel.probed()
      const total = async (): Promise<[number | null, number | null][]> =>
        (await historyOf(panel.operator, tunnel_id, '?resolution_seconds=60')).body.points.map((point) => [
          point.rx_bytes,
          point.tx_bytes,
        ])
      assert.deepEqual(await total(), [[null, null]])
      await panel.metrics.start()
      machine.traffic({ 'gre-a-1': [4000, 2500] })
      await panel.metrics.sampler.take()
      assert.deepEqual(await total(), [[3000, 500]])
      panel.clock.advance(60)
      await panel.monitor.historyWriter.save()
      machine.traffic({ 'gre-a-1': [4100, 2500] })
      await panel.metrics.sampler.take()
      assert.deepEqual(await total(), [
        [3000, 500],
        [100, 0],
      ])
      const [whole] = (await historyOf(panel.operator, tunnel_id, '?resolution_seconds=86400')).body.points
      assert.deepEqual([whole?.rx_bytes, whole?.tx_bytes], [3100, 500])
    } finally {
      await panel.close()
    }
  })
})

describe('The uptime of all tunnels', () => {
  it('covers the requested number of hours, in 90 parts, from what is stored and what is not yet', async () => {
    const panel = await startWatching()
    try {
      const { tunnel_id, name } = await panel.probed()
      await panel.probed({ remote_endpoint: '198.51.100.9' })
      panel.prober.answer(name, 8)
      const at = panel.clock.now().getTime() / 1000
      const before = (days: number, times: object): Bucket => ({
        ...emptyBucket(tunnel_id, Math.floor(at / 60) * 60 - days * 86_400),
        worst_severity: stateSeverity('Down'),
        ...times,
      })
      await addBuckets(panel.db, [
        before(2, { down_ms: 60_000 }),
        before(20, { down_ms: 30_000, up_ms: 30_000 }),
        before(80, { up_ms: 60_000 }),
      ])
      const downOf = async (query: string): Promise<[number, number, number, number]> => {
        const { hours, tick_seconds, tunnels, since } = (
          await panel.operator.get<MonitorUptimeAnswer>(`/monitor/uptime${query}`)
        ).body
        assert.equal(tunnels.length, 2)
        const [one] = tunnels
        const ticks = one?.worst_monitor_state_ids ?? []
        assert.equal(ticks.length, 90)
        const running = Date.parse(since) / 1000 + 89 * tick_seconds
        assert.ok(running <= at && at < running + tick_seconds, 'the last part is running')
        assert.notEqual(ticks.at(-1), null, 'of now, which is not stored')
        const bad = ticks.filter((state) => state === MONITOR_STATES.Down).length
        return [hours, tick_seconds, one?.down_seconds ?? 0, bad]
      }
      assert.deepEqual(await downOf(''), [24, 960, 0, 0])
      assert.deepEqual(await downOf('?hours=168'), [168, 6720, 60, 1])
      assert.deepEqual(await downOf('?hours=720'), [720, 28_800, 90, 2])
      assert.deepEqual(await downOf('?hours=2160'), [2160, 86_400, 90, 3])
      const { status, error } = await panel.operator.get('/monitor/uptime?hours=5')
      assert.deepEqual([status, error.field], [422, 'hours'])
    } finally {
      await panel.close()
    }
  })
})
