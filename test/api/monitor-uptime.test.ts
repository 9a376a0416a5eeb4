// How long a tunnel was up, as its history tells it (reference.md, GET /tunnels/{id}/history; decisions.md, M4).
import assert from 'node:assert/strict'
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
