// How long a tunnel was up, as its history tells it (reference.md, GET /tunnels/{id}/history; decisions.md, M4).
import assert from 'node:assert/strict'
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
    panel.prober.answer(name, 8)
    const [up, down] = await total()
    panel.clock.advance(30)
    await panel.host.links.delete(name)
    await panel.until(id, 'Down')
    panel.clock.advance(12)
    const [later, isDown] = await total()
    assert.ok(later - up >= 30 && later - up < 40, `${later - up} s up`)
    assert.ok(isDown - down >= 12 && isDown - down < 22, `${isDown - down} s down`)
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
