// What notifications are about: each kind of event, as it comes about in the panel (decisions.md, N1).
import assert from 'node:assert/strict'
import { NOTICE_KINDS, type ListDeliveriesAnswer, type NoticeKind } from '@panel/shared/api/webhooks.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { HostIncident } from '@panel/web-daemon/platform/health.ts'
import { eventually } from '../support/eventually.ts'
import { startPanel, OPERATOR, type TestPanel } from './support/panel.ts'
import type { Client, Reply } from './support/client.ts'
import { httpReceiver, type HttpReceiver } from './support/receivers.ts'
import { startWatching } from './support/monitor.ts'
import { createRoute } from './support/routes.ts'
import { set } from './support/settings.ts'
import { createTunnel } from './support/tunnels.ts'
import { stored } from './support/webhooks.ts'

interface Sent {
  readonly type: NoticeKind
  readonly data: { readonly severity: string; readonly text: string; readonly subject: { readonly name: string } }
}

describe('A notification', () => {
  let panel: TestPanel
  let operator: Client
  let receiver: HttpReceiver
  let wrong: HostIncident[]
  beforeEach(async () => {
    wrong = []
    receiver = await httpReceiver()
    panel = await startPanel()
    operator = await panel.setUp()
    await set(operator, { 'webhooks.allow_private': true })
    await operator.post('/webhooks', { title: 'Hook', kind: 'json', url: receiver.url, events: NOTICE_KINDS })
    panel.notifications.start(async () => wrong)
  })
  afterEach(async () => {
    receiver.close()
    await panel.close()
  })

  const sent = async (count: number): Promise<Sent[]> => {
    await eventually(() => receiver.received.length >= count, `${count} notifications`)
    return receiver.received.map(({ body }) => JSON.parse(body) as Sent)
  }
  const look = (): Promise<void> => panel.notifications.look(async () => wrong)

  it('is sent when a tunnel is down, with the reason that the monitor gives', async () => {
    const reason = message('monitor.interface_missing', { name: 'gre-a-1' })
    await stored(panel, 'tunnel.state', { tunnel_id: 1, interface_name: 'gre-a-1', from: 'Up', to: 'Down', reason })
    const [one] = await sent(1)
    assert.equal(one?.type, 'tunnel_state')
    assert.match(one.data.text, /is down\. .*missing/)
  })

  it('is written with the change of state that the monitor stores', async () => {
    const watching = await startWatching()
    watching.notifications.start(async () => [])
    const target = { title: 'Hook', kind: 'json', url: 'https://hooks.example.net/', events: ['tunnel_state'] }
    await watching.operator.post('/webhooks', target)
    const { tunnel_id, name } = await watching.up()
    await watching.until(tunnel_id, 'Up')
    await watching.host.links.delete(name)
    await watching.until(tunnel_id, 'Down')
    await watching.monitor.settled()
    const { body } = await watching.operator.get<ListDeliveriesAnswer>('/webhooks/1/deliveries')
    assert.deepEqual(
      body.deliveries.map(({ text }) => text),
      [`Tunnel ${name} is down. interface_missing: this server has no interface ${name}`],
    )
    await watching.close()
  })

  it('is sent when the checks find a destination down, and when they find it up again', async () => {
    const down = {
      route_destination_id: 7,
      title: 'Web',
      destination: '10.9.0.3:80',
      from: 'up',
      to: 'down',
      reason: message('check.refuses', { port: 80 }),
    }
    await stored(panel, 'destination.state', down)
    const [one] = await sent(1)
    assert.deepEqual([one?.type, one?.data.severity], ['destination', 'problem'])
    assert.match(one?.data.text ?? '', /^Destination 10\.9\.0\.3:80 of relay rule Web is down\. Port 80 refuses/)
    await stored(panel, 'destination.state', { ...down, from: 'down', to: 'up' })
    assert.equal((await sent(2))[1]?.data.text, 'Destination 10.9.0.3:80 of relay rule Web is up again.')
  })

  it('is sent when the host does not hold a tunnel as it is stored, and when it does again', async () => {
    const { interface_name } = (await createTunnel(operator)).body.tunnel
    await panel.watch.pass('start')
    const link = panel.kernel.held.get(interface_name)
    assert.ok(link)
    panel.kernel.held.delete(interface_name)
    await panel.watch.pass('event')
    const [one] = await sent(1)
    assert.deepEqual([one?.type, one?.data.severity, one?.data.subject.name], ['drift', 'problem', interface_name])
    panel.kernel.held.set(interface_name, link)
    await panel.watch.pass('event')
    assert.equal((await sent(2))[1]?.data.severity, 'resolved')
  })

  it('is sent when a relay rule is not in force', async () => {
    await createRoute(operator)
    panel.kernel.rulesets.flush()
    await panel.routeWatch.pass('event')
    const [one] = await sent(1)
    assert.deepEqual([one?.type, one?.data.severity], ['route_health', 'problem'])
  })

  it('is sent when others keep taking something away', async () => {
    const heal = {
      is_wanted: true,
      times: 5,
      tries: 4,
      since: null,
      next_try_at: null,
      contested: true,
      last_by: 'nft',
      detail: '',
      detail_message: message('heal.contested_by', { since: '2026-01-01T00:00:00.000Z', times: 5, program: 'nft' }),
    }
    panel.bus.publish('heal.contested', { kind: 'route', id: 7, heal: heal as never })
    assert.match((await sent(1))[0]?.data.text ?? '', /the relay rule #7.*nft/)
  })

  it('is sent when changes that waited for a confirmation are over', async () => {
    await stored(panel, 'safe_apply.ended', { window_id: 'a1', ended_how: 'expired' })
    assert.match((await sent(1))[0]?.data.text ?? '', /taken back/)
  })

  it('is sent once enough sign-ins have failed', async () => {
    await set(operator, { 'webhooks.sign_in_failures': 2 })
    const fail = () => panel.visitor().post('/auth/login', { ...OPERATOR, password: 'a wrong one' })
    await fail()
    assert.equal(receiver.received.length, 0)
    await fail()
    const [one] = await sent(1)
    assert.equal(one?.type, 'sign_in_failed')
    assert.match(one.data.text, /2 sign-ins failed within 10 minutes, the last one from 127\.0\.0\.1/)
  })

  it('is sent of a sign-in from a network that nobody has signed in from within 30 days, and of no other', async () => {
    const signIn = (): Promise<Reply> => panel.visitor().post('/auth/login', OPERATOR)
    assert.equal((await signIn()).status, 200)
    assert.equal((await operator.get<{ total: number }>('/webhooks/1/deliveries')).body.total, 0)
    panel.clock.advance(31 * 24 * 60 * 60)
    assert.equal((await signIn()).status, 200)
    const [one] = await sent(1)
    assert.equal(one?.type, 'sign_in_new_network')
    assert.match(one.data.text, /signed in from 127\.0\.0\.1\. Nobody has/)
  })

  for (const [kind, type] of [
    ['network', 'drift'],
    ['certificate', 'certificate'],
    ['disk', 'disk'],
    ['helper', 'helper_away'],
  ] as const)
    it(`is sent once two looks have found what is wrong with the ${kind}, and when it is over`, async () => {
      const sentence = message('attention.helper_away')
      wrong = [{ kind, name: 'here', state: 'down', since: null, sentence }]
      await look()
      await panel.notifications.outbox.stored()
      assert.equal(receiver.received.length, 0)
      await look()
      assert.equal((await sent(1))[0]?.type, type)
      wrong = []
      await look()
      assert.equal((await sent(2))[1]?.data.severity, 'resolved')
    })

  it('is written as it happens when safe apply ends', async () => {
    await operator.post('/safe-apply', { seconds: 30 })
    const { body } = await operator.get<{ window: { window_id: string } | null }>('/safe-apply')
    if (!body.window) return assert.fail('no window is open')
    await operator.post('/safe-apply/cancel', { window_id: body.window.window_id })
    assert.equal((await sent(1))[0]?.type, 'safe_apply_ended')
  })
})
