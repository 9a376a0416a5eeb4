// The monitor stream (reference.md, Events; decisions.md, E1 to E6, T5).
import assert from 'node:assert/strict'
import type { MonitorSnapshot, MonitorSummaryAnswer } from '@panel/shared/api/monitor.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import { eventually } from '../support/eventually.ts'
import { OPERATOR } from './support/panel.ts'
import { pictureOf, startWatching, toggle, type WatchingPanel } from './support/monitor.ts'
import { openStream, type OpenStream } from './support/streams.ts'
import { createTunnel, deleteTunnel } from './support/tunnels.ts'

const STREAM = 'GET /monitor/stream'

describe('The monitor stream', () => {
  let panel: WatchingPanel
  let left: OpenStream[]
  beforeEach(async () => {
    left = []
    panel = await startWatching()
  })
  afterEach(async () => {
    for (const open of left) open.leave()
    await panel.close()
  })
  const watch = async (): Promise<OpenStream> => {
    const open = await openStream(panel.operator, '/monitor/stream')
    left.push(open)
    return open
  }
  const eventsOf = (open: OpenStream): string[] =>
    open
      .events()
      .map(({ name, data }) =>
        name === 'summary'
          ? `summary: ${pictureOf((data as MonitorSummaryAnswer).tunnels).join(', ')}`
          : `${name}: ${pictureOf([data as MonitorSnapshot]).join()}`,
      )

  it('answers 200 text/event-stream and sends the current picture first, in both spellings, with the counts', async () => {
    const { tunnel_id, name } = await panel.up()
    const open = await watch()
    assert.deepEqual(
      [open.status, open.headers['content-type'], open.headers['cache-control']],
      [200, 'text/event-stream', 'no-store'],
    )
    const [first] = await open.until(1)
    const { tunnels, counts } = first?.data as MonitorSummaryAnswer
    assert.equal(first?.name, 'summary')
    assert.deepEqual(counts, { Unknown: 0, Up: 1, Degraded: 0, Down: 0, Disabled: 0 })
    assert.deepEqual(
      tunnels.map(({ TunnelID, State, MonitorStateID, tunnel_id: id, state, monitor_state_id, interface_name }) => [
        TunnelID,
        State,
        MonitorStateID,
        id,
        state,
        monitor_state_id,
        interface_name,
      ]),
      [[tunnel_id, 'Up', 20, tunnel_id, 'Up', 20, name]],
    )
  })

  it('sends each change after that, one snapshot in both spellings each', async () => {
    const { tunnel_id, name } = await panel.probed()
    const open = await watch()
    await open.until(1)
    panel.prober.answer(name, 5)
    await open.until(2)
    await toggle(panel.operator, tunnel_id, 'disable')
    await open.until(3)
    assert.deepEqual(eventsOf(open), [`summary: ${name} Unknown`, `tunnel: ${name} Up`, `tunnel: ${name} Disabled`])
    const { TunnelID, State, MonitorStateID, reason } = open.events()[2]?.data as MonitorSnapshot
    assert.deepEqual([TunnelID, State, MonitorStateID], [tunnel_id, 'Disabled', 50])
    assert.notEqual(reason, '')
  })

  it('tells of tunnels that come and go', async () => {
    const open = await watch()
    await open.until(1)
    const { tunnel_id, name } = await panel.probed()
    await eventually(() => eventsOf(open).includes(`tunnel: ${name} Unknown`), 'the new one')
    await deleteTunnel(panel.operator, tunnel_id)
    await eventually(() => open.events().at(-1)?.name === 'tunnel_deleted', 'its end')
    assert.deepEqual(open.events().at(-1)?.data, { tunnel_id, interface_name: name })
  })

  it('tells of drift that was found or cleared, under a name that a client may ignore', async () => {
    const { name } = await panel.up()
    await panel.watch.pass('start')
    const open = await watch()
    await open.until(1)
    await panel.host.links.setMtu(name, 1300)
    await panel.watch.pass('event')
    await eventually(() => open.events().some((event) => event.name === 'reconcile'), 'drift')
    const reported = open.events().find((event) => event.name === 'reconcile')?.data as {
      changed: { interface_name: string; to: string }[]
    }
    assert.deepEqual(
      reported.changed.map(({ interface_name, to }) => [interface_name, to]),
      [[name, 'Drifted']],
    )
  })

  it('tells of relay rules whose health is another one', async () => {
    const open = await watch()
    await open.until(1)
    const event = {
      route_rule_id: 1,
      title: 'web',
      from: 'healthy',
      to: 'failed',
      severity: 'down',
      detail: 'The kernel does not hold the rule',
      detail_message: verbatim('The kernel does not hold the rule'),
    } as const
    panel.bus.publish('route.health', { ...event, cause: null })
    assert.deepEqual((await open.until(2))[1], { name: 'route', data: event })
  })

  it('sends every change to every one of 200 subscribers, and counts them back to zero', async function () {
    const { name } = await panel.probed()
    const all = await Promise.all(Array.from({ length: 200 }, watch))
    assert.deepEqual([panel.monitor.feed.topic.size, panel.streams.count(STREAM)], [200, 200])
    panel.prober.answer(name, 5)
    panel.prober.lose(name, 4)
    await Promise.all(all.map((open) => open.until(3)))
    for (const open of all)
      assert.deepEqual(eventsOf(open), [`summary: ${name} Unknown`, `tunnel: ${name} Up`, `tunnel: ${name} Degraded`])
    for (const open of all) open.leave()
    await eventually(() => panel.monitor.feed.topic.size === 0 && panel.streams.count(STREAM) === 0, 'back to zero')
  })

  it('loses nothing for one who reads while many tunnels change at once', async function () {
    const count = 110
    for (let i = 1; i <= count; i++)
      assert.equal((await createTunnel(panel.operator, { remote_endpoint: `198.51.100.${i + 10}` })).status, 201)
    await eventually(() => panel.prober.targets.length === count, 'all are probed')
    panel.prober.answerAll(5)
    const open = await watch()
    await open.until(1)
    panel.prober.refusal = helperAway('ENOENT')
    panel.prober.breakDown()
    await eventually(() => open.events().length > count, 'every change')
    const unknown = new Set(
      open
        .events()
        .slice(1)
        .filter(({ data }) => (data as MonitorSnapshot).state === 'Unknown')
        .map(({ data }) => (data as MonitorSnapshot).tunnel_id),
    )
    assert.equal(unknown.size, count)
  })

  it('gives one who does not read the newest, and never waits for him', async function () {
    const [slow, quick] = [await watch(), await watch()]
    await slow.until(1)
    slow.stopReading()
    const big = 'x'.repeat(256 * 1024)
    for (let number = 1; number <= 200; number++) {
      panel.monitor.feed.publish('tunnel_deleted', () => ({ tunnel_id: number, interface_name: big }))
      if (number % 10 === 0) await quick.until(number + 1)
    }
    slow.readOn()
    await eventually(() => (slow.events().at(-1)?.data as { tunnel_id?: number }).tunnel_id === 200, 'the newest')
    assert.ok(slow.events().length < 150)
    assert.equal(quick.events().length, 201)
  })

  it('gives a late subscriber the present picture and nothing earlier', async () => {
    const { name } = await panel.up()
    await (await watch()).until(1)
    panel.prober.lose(name, 4)
    const late = await watch()
    await late.until(1)
    assert.deepEqual(eventsOf(late), [`summary: ${name} Degraded`])
  })

  it('ends when the session is revoked, and needs one', async () => {
    const open = await watch()
    await panel.operator.put('/auth/me', { current_password: OPERATOR.password, new_password: 'a new and longer one' })
    await open.ended
    await eventually(() => panel.monitor.feed.topic.size === 0, 'released')
    assert.equal((await panel.visitor().get('/monitor/stream')).status, 401)
  })
})
