// Destinations behind a tunnel that goes down go out of rotation with it (reference.md, Checks of destinations).
import assert from 'node:assert/strict'
import { eventually } from '../support/eventually.ts'
import { fakeRoute } from '../support/fake-routes.ts'
import { checkOf, destinationAt, FakeChecks, madeThree, QUICK, untilState } from './support/checks.ts'
import { startWatching, type WatchingPanel } from './support/monitor.ts'

describe('A destination behind a tunnel', () => {
  let panel: WatchingPanel
  let checks: FakeChecks
  beforeEach(async () => {
    checks = new FakeChecks()
    panel = await startWatching({ failover: { run: checks.run, random: () => 0 } })
    await panel.failover.start()
  })
  afterEach(() => panel.close())

  it('is out at once when the tunnel is down, whatever its own checks say, and back by its checks', async () => {
    const { operator, prober } = panel
    const { tunnel_id, name } = await panel.up({
      addresses: [{ address: '10.9.0.1', prefix_length: 29, peer_address: '10.9.0.2', is_primary: true }],
    })
    await panel.until(tunnel_id, 'Up')
    const id = await madeThree(operator, { tunnel_id, check: { ...QUICK, fall: 100 } })
    await untilState(operator, id, '10.9.0.2', 'up')
    await panel.host.links.setUp(name, false)
    await panel.until(tunnel_id, 'Down')
    await untilState(operator, id, '10.9.0.2', 'down')
    assert.match((await destinationAt(operator, id, '10.9.0.2')).reason, new RegExp(`^The tunnel ${name} is down`))
    await eventually(async () => (await checkOf(operator, id)).destinations.every(({ rotation }) => rotation === 'out'))
    await panel.host.links.setUp(name, true)
    await eventually(() => prober.of(name) !== undefined)
    prober.answer(name, 5)
    await panel.until(tunnel_id, 'Up')
    await untilState(operator, id, '10.9.0.2', 'up')
  })

  it('is out with it, too, if a route has led its address through the tunnel since the rule was made', async () => {
    const { operator, host } = panel
    const { tunnel_id, name } = await panel.up({ addresses: [{ address: '10.77.0.1', prefix_length: 30 }] })
    await panel.until(tunnel_id, 'Up')
    const id = await madeThree(operator, { check: { ...QUICK, fall: 100 } })
    await untilState(operator, id, '10.9.0.2', 'up')
    host.hostRoutes.push(fakeRoute('10.9.0.0/24', name))
    await host.links.setUp(name, false)
    await untilState(operator, id, '10.9.0.2', 'down')
    assert.match((await destinationAt(operator, id, '10.9.0.2')).reason, new RegExp(`^The tunnel ${name} is down`))
  })
})
