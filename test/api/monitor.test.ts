// The watching of tunnels (reference.md: Monitoring, Monitoring status, States; decisions.md, S2 to S6, M4 to M6, T5).
import assert from 'node:assert/strict'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { message, messageFields, verbatim } from '@panel/shared/messages/message.ts'
import { eventually } from '../support/eventually.ts'
import { startWatching, statusOf, summaryOf, toggle, wayOf, type WatchingPanel } from './support/monitor.ts'
import { forget } from './support/reconcile.ts'
import { act, createTunnel, deleteTunnel, patchTunnel } from './support/tunnels.ts'

describe('The monitoring status', () => {
  let panel: WatchingPanel
  beforeEach(async () => {
    panel = await startWatching()
  })
  afterEach(() => panel.close())
  const stateOf = async (id: number): Promise<string> => (await statusOf(panel.operator, id)).state

  it('of an unmeasured tunnel is Unknown with a reason, and has an empty list of events', async () => {
    const { tunnel_id, name } = await panel.probed()
    const status = await statusOf(panel.operator, tunnel_id)
    assert.deepEqual(
      { ...status, since: '', updated_at: '' },
      {
        tunnel_id,
        interface_name: name,
        display_name: '',
        monitor_state_id: 10,
        state: 'Unknown',
        ...messageFields('reason', message('monitor.unmeasured')),
        enabled: true,
        tunnel_enabled: true,
        source: '172.17.1.1',
        target: '172.17.1.2',
        stats: {
          sent: 0,
          received: 0,
          lost: 0,
          pending: 0,
          loss_percent: null,
          rtt_min_ms: null,
          rtt_avg_ms: null,
          rtt_max_ms: null,
          rtt_mdev_ms: null,
          jitter_ms: null,
          last_rtt_ms: null,
          last_reply_at: null,
        },
        since: '',
        updated_at: '',
        events: [],
      },
    )
    for (const moment of [status.since, status.updated_at])
      assert.match(moment, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('has the probes go through the tunnel, from its address to its peer, as the settings say', async () => {
    const { name } = await panel.probed()
    const { target_id: _, ...target } = panel.prober.of(name)!
    assert.deepEqual(target, {
      interface_name: name,
      source_address: '172.17.1.1',
      target_address: '172.17.1.2',
      interval_ms: 1000,
      timeout_ms: 2000,
      packet_size: 56,
    })
  })

  it('is Up with figures once probes are answered, and tells the change', async () => {
    const { tunnel_id, name } = await panel.probed()
    panel.prober.answer(name, 4)
    assert.equal(await stateOf(tunnel_id), 'Unknown')
    panel.prober.answer(name, 1, 30_000)
    const { state, monitor_state_id, stats, reason, events } = await statusOf(panel.operator, tunnel_id)
    assert.deepEqual(
      [
        state,
        monitor_state_id,
        stats.received,
        stats.loss_percent,
        stats.rtt_avg_ms,
        stats.rtt_max_ms,
        stats.last_rtt_ms,
      ],
      ['Up', 20, 5, 0, 14, 30, 30],
    )
    assert.match(reason, /14.0 ms on average/)
    assert.deepEqual(
      events.map(({ reason: why, reason_message: reported, created_date: _, ...event }) => ({
        ...event,
        reported: reported.message === why && reported.message_id,
      })),
      [
        {
          monitor_event_id: 1,
          tunnel_id,
          from_monitor_state_id: 10,
          to_monitor_state_id: 20,
          from_state: 'Unknown',
          to_state: 'Up',
          loss_percent: 0,
          rtt_avg_ms: 14,
          reported: 'monitor.answers',
        },
      ],
    )
  })

  it('is Degraded with loss, Down when nothing is answered, and the newest change comes first', async () => {
    const { tunnel_id, name } = await panel.up({ monitor_window_size: 10 })
    panel.prober.lose(name, 5)
    assert.equal(await stateOf(tunnel_id), 'Degraded')
    panel.prober.lose(name, 10, 'unreachable', 'Destination Host Unreachable')
    await eventually(() => panel.knocks.requests.length === 1, 'a knock')
    panel.prober.lose(name, 3, 'unreachable', 'Destination Host Unreachable')
    const { state, reason, events } = await statusOf(panel.operator, tunnel_id)
    assert.equal(state, 'Down')
    assert.match(reason, /Destination Host Unreachable/)
    assert.deepEqual(wayOf(events), ['Degraded to Down', 'Up to Degraded', 'Unknown to Up'])
  })

  it('is Degraded where answers are slow, if the tunnel says from when on', async () => {
    const { tunnel_id, name } = await panel.probed({ monitor_degraded_rtt_ms: 100 })
    panel.prober.answer(name, 5, 150_000)
    assert.equal(await stateOf(tunnel_id), 'Degraded')
  })

  it('revises the loss where an answer comes late', async () => {
    const { tunnel_id, name } = await panel.up()
    panel.prober.lose(name)
    assert.equal((await statusOf(panel.operator, tunnel_id)).stats.lost, 1)
    panel.prober.answerLate(name)
    const { stats } = await statusOf(panel.operator, tunnel_id)
    assert.deepEqual([stats.lost, stats.received, stats.rtt_max_ms], [0, 6, 2500])
  })

  it("is Degraded and not Down where the peer answers TCP but not ICMP, and the knock comes from the tunnel's own address", async () => {
    panel.knocks.finds = { isAlive: true, detail: verbatim('port 22 refuses') }
    const { tunnel_id, name } = await panel.probed()
    panel.prober.lose(name, 5)
    await eventually(() => panel.knocks.requests.length === 1, 'a knock')
    panel.prober.lose(name, 60)
    const { state, reason } = await statusOf(panel.operator, tunnel_id)
    assert.equal(state, 'Degraded')
    assert.match(reason, /answers TCP but not ICMP/)
    assert.deepEqual(panel.knocks.requests, ['172.17.1.1 172.17.1.2'])
  })

  it('knocks at most once a minute', async () => {
    const { tunnel_id, name } = await panel.probed()
    panel.prober.lose(name, 100)
    await eventually(() => panel.knocks.requests.length === 1, 'a knock')
    panel.clock.advance(59)
    panel.prober.lose(name, 3)
    assert.equal(panel.knocks.requests.length, 1)
    panel.clock.advance(2)
    panel.prober.lose(name)
    assert.deepEqual([panel.knocks.requests.length, await stateOf(tunnel_id)], [2, 'Down'])
  })

  it('of a tunnel without a far end ends Down and is never Up', async () => {
    const { tunnel_id, name } = await panel.probed()
    for (let i = 0; i < 20; i++) {
      panel.prober.lose(name)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const { state, events } = await statusOf(panel.operator, tunnel_id)
    assert.deepEqual([state, wayOf(events)], ['Down', ['Unknown to Down']])
  })

  it("is Down at once, by the kernel's event, where the interface vanishes, and follows when it is back", async () => {
    const { tunnel_id, name } = await panel.up()
    await panel.host.links.delete(name)
    await panel.until(tunnel_id, 'Down')
    assert.match((await statusOf(panel.operator, tunnel_id)).reason, /^interface_missing/)
    await eventually(() => panel.prober.of(name) === undefined, 'no longer probed')
    await act(panel.operator, tunnel_id, 'reapply')
    await eventually(() => panel.prober.of(name) !== undefined, 'probed again')
    panel.prober.answer(name, 5)
    assert.equal(await stateOf(tunnel_id), 'Up')
  })

  it('is Down if the interface was taken down by hand, and Disabled if the operator did it', async () => {
    const { tunnel_id, name } = await panel.up()
    await panel.host.links.setUp(name, false)
    await panel.until(tunnel_id, 'Down')
    assert.match((await statusOf(panel.operator, tunnel_id)).reason, /administratively down/)
    await act(panel.operator, tunnel_id, 'down')
    assert.equal(await stateOf(tunnel_id), 'Disabled')
    await act(panel.operator, tunnel_id, 'up')
    assert.equal(await stateOf(tunnel_id), 'Unknown')
  })

  it('is Disabled without an address, without a peer, and where the target is of another family', async () => {
    const hidden = (await createTunnel(panel.operator, { addresses: [{ address: '10.99.0.1', prefix_length: 24 }] }))
      .body.tunnel.tunnel_id
    assert.match((await statusOf(panel.operator, hidden)).reason, /No peer address is known/)
    const { tunnel_id } = await panel.up({ remote_endpoint: '198.51.100.8' })
    assert.equal((await patchTunnel(panel.operator, tunnel_id, { monitor_target: 'fd00::9' })).status, 200)
    const { state, reason, target, source } = await statusOf(panel.operator, tunnel_id)
    assert.deepEqual([state, /another family/.test(reason), target, source], ['Disabled', true, '', ''])
  })

  it('is Unknown with the reason while the helper is away, and follows again by itself', async () => {
    const { tunnel_id, name } = await panel.up()
    panel.prober.refusal = helperAway('ENOENT')
    panel.prober.breakDown()
    await panel.until(tunnel_id, 'Unknown')
    assert.match(
      (await statusOf(panel.operator, tunnel_id)).reason,
      /No probes can be sent: The root helper cannot be reached/,
    )
    assert.equal((await summaryOf(panel.operator)).running, false)
    panel.prober.refusal = null
    await eventually(() => panel.monitor.isRunning, 'it runs again')
    panel.prober.answer(name, 3)
    const { state, stats, events } = await statusOf(panel.operator, tunnel_id)
    assert.deepEqual(
      [state, stats.received, wayOf(events)],
      ['Up', 8, ['Unknown to Up', 'Up to Unknown', 'Unknown to Up']],
    )
  })

  it("is Unknown with the kernel's own reason where this host cannot probe at all", async () => {
    const { tunnel_id } = await panel.up()
    panel.prober.refusal = new Refusal('SERVICE_UNAVAILABLE', verbatim('Operation not permitted'))
    panel.prober.breakDown()
    await panel.until(tunnel_id, 'Unknown')
    await eventually(() => panel.monitor.stopped?.message.includes('Operation not permitted') === true, 'the reason')
  })

  it("follows a tunnel's overrides at once", async () => {
    const { tunnel_id, name } = await panel.up()
    await patchTunnel(panel.operator, tunnel_id, {
      monitor_interval_seconds: 0.2,
      monitor_timeout_seconds: 0.5,
      monitor_packet_size: 100,
      monitor_target: '172.17.1.9',
    })
    await eventually(() => panel.prober.of(name)?.interval_ms === 200, 'the new pace')
    const { timeout_ms, packet_size, target_address } = panel.prober.of(name)!
    assert.deepEqual([timeout_ms, packet_size, target_address], [500, 100, '172.17.1.9'])
    assert.equal(panel.prober.begun, 1)
  })

  it('follows the settings at once', async () => {
    const { tunnel_id, name } = await panel.up()
    assert.equal(
      (await panel.operator.put('/settings', { 'monitor.interval_seconds': 5, 'monitor.degraded_rtt_ms': 1 })).status,
      200,
    )
    await eventually(() => panel.prober.of(name)?.interval_ms === 5000, 'the new pace')
    panel.prober.answer(name, 3)
    assert.equal(await stateOf(tunnel_id), 'Degraded')
    await panel.operator.put('/settings', { 'monitor.enabled': false })
    assert.equal(await stateOf(tunnel_id), 'Disabled')
    assert.equal((await toggle(panel.operator, tunnel_id, 'enable')).status, 200)
    assert.equal(await stateOf(tunnel_id), 'Unknown')
  })

  it('tells the last 20 changes and no more', async () => {
    const { tunnel_id, name } = await panel.up()
    for (let i = 0; i < 15; i++) {
      await toggle(panel.operator, tunnel_id, 'disable')
      await toggle(panel.operator, tunnel_id, 'enable')
    }
    await eventually(() => panel.prober.of(name) !== undefined, 'probed again')
    panel.prober.answer(name, 5)
    const { events } = await statusOf(panel.operator, tunnel_id)
    assert.deepEqual(
      [events.length, ...wayOf(events).slice(0, 3)],
      [20, 'Unknown to Up', 'Disabled to Unknown', 'Unknown to Disabled'],
    )
    const { count } = await panel.db
      .selectFrom('monitor_event')
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    assert.equal(count, 20)
  })

  it('is 404 of a tunnel that never was, or is no more, and needs a session', async () => {
    const { tunnel_id } = await panel.probed()
    await deleteTunnel(panel.operator, tunnel_id)
    for (const id of [tunnel_id, 99]) {
      for (const path of [`/tunnels/${id}/status`, `/tunnels/${id}/history`]) {
        const { status, error } = await panel.operator.get(path)
        assert.deepEqual([status, error.code], [404, 'NOT_FOUND'], path)
      }
      assert.equal((await toggle(panel.operator, id, 'enable')).status, 404)
    }
    for (const path of [`/tunnels/1/status`, `/tunnels/1/history`, '/monitor/summary', '/monitor/stream'])
      assert.equal((await panel.visitor().get(path)).status, 401)
    assert.equal((await panel.operator.post('/tunnels/1/monitor/disable', undefined, { csrf: false })).status, 403)
  })

  it('ends with the tunnel: it is probed no more, and nothing of it is kept', async () => {
    const [one, other] = [await panel.up(), await panel.up({ remote_endpoint: '198.51.100.8' })]
    await panel.monitor.historyWriter.save(Number.POSITIVE_INFINITY)
    await deleteTunnel(panel.operator, one.tunnel_id)
    await forget(panel.operator, other.tunnel_id)
    await panel.monitor.settled()
    await eventually(() => panel.prober.targets.length === 0, 'probed no more')
    for (const table of ['monitor_event', 'monitor_bucket'] as const)
      assert.deepEqual(await panel.db.selectFrom(table).selectAll().execute(), [], table)
    assert.deepEqual((await summaryOf(panel.operator)).tunnels, [])
  })

  it('says on forgetting that the history is dropped', async () => {
    const { tunnel_id } = await panel.up()
    assert.match((await forget(panel.operator, tunnel_id)).body.note, /What the monitoring stored of it is dropped/)
  })
})
