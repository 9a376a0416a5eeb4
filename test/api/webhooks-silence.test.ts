// Notifications about an incident that is silenced (reference.md, Incidents).
import assert from 'node:assert/strict'
import type { ListDeliveriesAnswer } from '@panel/shared/api/webhooks.ts'
import { readSilences } from '@panel/web-daemon/features/incidents/silences.ts'
import { eventually } from '../support/eventually.ts'
import { rest, startNotified, type Notified } from './support/webhooks.ts'
import { madeRoute } from './support/routes.ts'
import { createTunnel } from './support/tunnels.ts'

describe('A silenced incident', () => {
  let host: Notified
  beforeEach(async () => {
    host = await startNotified()
    await createTunnel(host.operator, {})
    await host.add()
    host.panel.kernel.held.delete('gre-a-1')
    await host.panel.watch.pass('event')
    await host.panel.incidents.look()
  })
  afterEach(() => host.close())

  const silence = async (seconds: number | null): Promise<void> => {
    const until = seconds === null ? null : new Date(host.panel.clock.now().getTime() + seconds * 1000).toISOString()
    assert.equal((await host.operator.post('/incidents/1/silence', { until })).status, 200)
  }
  const states = async (): Promise<string[]> => (await host.deliveries()).map(({ state }) => state)
  const held = (): Promise<void> =>
    eventually(async () => {
      const { deliveries } = (await host.operator.get<ListDeliveriesAnswer>('/webhooks/1/deliveries')).body
      const [one] = deliveries
      return one?.state === 'waiting' && Date.parse(one.next_try_at ?? '') > host.panel.clock.now().getTime()
    }, 'a notification that waits')

  it('has nothing sent about it', async () => {
    await silence(3600)
    await host.tunnel('Down')
    await held()
    await rest()
    assert.equal(host.receiver.received.length, 0)
  })

  it('has what is still wrong sent once the silence has run out', async () => {
    await silence(3600)
    await host.tunnel('Down')
    await held()
    host.pass(3601)
    await host.arrives(1)
  })

  it('has it sent at once if the silence is taken back', async () => {
    await silence(3600)
    await host.tunnel('Down')
    await held()
    await silence(null)
    await host.arrives(1)
  })

  it('has it sent at the end of the second silence if that is a shorter one', async () => {
    await silence(7200)
    await host.tunnel('Down')
    await held()
    await silence(600)
    await rest()
    assert.equal(host.receiver.received.length, 0)
    host.pass(601)
    await host.arrives(1)
  })

  it('stays silent for longer than a delivery otherwise waits', async () => {
    await silence(3 * 86_400)
    await host.tunnel('Down')
    await held()
    host.pass(2 * 86_400)
    await rest()
    assert.equal(host.receiver.received.length, 0)
  })

  it('has nothing sent about a problem that was over within the silence', async () => {
    await silence(3600)
    await host.tunnel('Down')
    await held()
    await host.tunnel('Up')
    host.pass(3601)
    await rest()
    assert.deepEqual(await states(), ['dropped'])
    assert.equal(host.receiver.received.length, 0)
  })

  it('has the end of what was sent before sent, even if it became worse meanwhile', async () => {
    await host.tunnel('Degraded')
    await host.arrives(1)
    await silence(3600)
    await host.tunnel('Down')
    await held()
    await host.tunnel('Up')
    await host.arrives(2)
    assert.match(host.receiver.received[1]?.body ?? '', /"severity":"resolved"/)
  })

  it('has notifications about another tunnel sent', async () => {
    await createTunnel(host.operator, { remote_endpoint: '203.0.113.9' })
    await silence(3600)
    await host.tunnel('Down', 2)
    await host.arrives(1)
  })

  it('silences the rules that it takes down, and their destinations', async () => {
    await madeRoute(host.operator, { route_rule_title: 'Web', destination_address: '172.17.1.2', bind_port: 443 })
    await host.panel.routeWatch.pass('event')
    await host.panel.incidents.look()
    await silence(3600)
    const until = await readSilences(host.panel.db, host.panel.clock.now())
    assert.ok(until({ type: 'route', id: 1, name: '' }))
    assert.ok(until({ type: 'destination', id: 1, name: '' }))
    assert.equal(until({ type: 'route', id: 2, name: '' }), null)
    assert.equal(until({ type: 'destination', id: 2, name: '' }), null)
  })
})
