// What needs the operator, and what it takes down (reference.md, GET /reconcile/attention).
import assert from 'node:assert/strict'
import type { AttentionAnswer, Incident } from '@panel/shared/api/incidents.ts'
import { thisHost } from '@panel/web-daemon/features/metrics/host.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { CertificateWatcher } from '@panel/web-daemon/platform/tls/certificate-watcher.ts'
import { eventually } from '../support/eventually.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { Certificates, filesIn } from './support/certificates.ts'
import type { Client } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel, type TestParts } from './support/panel.ts'
import { startWatching, statusOf, type WatchingPanel } from './support/monitor.ts'
import { reapply } from './support/reconcile.ts'
import { madeRoute } from './support/routes.ts'
import { act, createTunnel } from './support/tunnels.ts'

describe('What needs attention', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await createTunnel(client, { display_name: 'Hamburg' })
    await madeRoute(client, { route_rule_title: 'Web', destination_address: '172.17.1.2', bind_port: 443 })
    await madeRoute(client, {
      route_rule_title: 'Elsewhere',
      destination_address: '10.9.0.2',
      bind_port: 80,
      tunnel_id: null,
    })
  })
  afterEach(() => panel.close())

  const attention = async (): Promise<AttentionAnswer> => {
    await panel.watch.pass('event')
    await panel.routeWatch.pass('event')
    return (await client.get<AttentionAnswer>('/reconcile/attention')).body
  }
  const reported = ({ incidents }: AttentionAnswer): Partial<Incident>[] =>
    incidents.map(({ kind, name, state, can_reapply, affected }) => ({ kind, name, state, can_reapply, affected }))

  it('is nothing where all is well, and it says when that was seen', async () => {
    const { incidents, total, checked_at } = await attention()
    assert.deepEqual([incidents, total], [[], 0])
    assert.match(checked_at ?? '', /^\d{4}-/)
  })

  it('is a tunnel that is not as stored, by its display name, with the rules that it takes down', async () => {
    panel.kernel.held.delete('gre-a-1')
    const answer = await attention()
    assert.deepEqual(reported(answer), [
      {
        kind: 'tunnel',
        name: 'Hamburg',
        state: 'down',
        can_reapply: true,
        affected: [{ route_rule_id: 1, title: 'Web' }],
      },
    ])
    const [incident] = answer.incidents
    assert.equal(incident?.reason, 'The interface gre-a-1 is missing on this server')
    assert.equal(incident?.reason_message.message_id, 'attention.missing')
    assert.ok(incident?.since)
    await reapply(client, 1)
    assert.equal((await attention()).total, 0)
  })

  it('is a tunnel with its rules also where what else is wrong with them is an incident of its own', async () => {
    panel.kernel.held.delete('gre-a-1')
    panel.kernel.forwarding.conntrack = { count: 95, max: 100 }
    assert.deepEqual(
      reported(await attention()).map(({ kind, name, state }) => [kind, name, state]),
      [
        ['tunnel', 'Hamburg', 'down'],
        ['route', 'Elsewhere', 'degraded'],
      ],
    )
  })

  it('is a rule by itself, where nothing is wrong with its tunnel', async () => {
    panel.kernel.rulesets.flush()
    assert.deepEqual(
      reported(await attention()).map(({ kind, name, state, can_reapply }) => [kind, name, state, can_reapply]),
      [
        ['route', 'Web', 'down', true],
        ['route', 'Elsewhere', 'down', true],
      ],
    )
  })

  it('is a rule whose tunnel the operator has taken down, since that is no fault of the tunnel', async () => {
    await act(client, 1, 'down')
    const { incidents } = await attention()
    assert.deepEqual(
      incidents.map(({ kind, name, state, can_reapply }) => [kind, name, state, can_reapply]),
      [['route', 'Web', 'down', false]],
    )
    assert.match(incidents[0]?.reason ?? '', /gre-a-1 that the rule relays over is down/)
  })

  it('counts the connections of the rules, and says where it does not know them', async () => {
    panel.kernel.held.delete('gre-a-1')
    assert.equal((await attention()).incidents[0]?.affected_connections, null)
    assert.equal((await attention()).incidents[0]?.affected_routes, 1)
  })
})

describe('What needs attention of what is watched', () => {
  let panel: WatchingPanel
  beforeEach(async () => {
    panel = await startWatching()
  })
  afterEach(() => panel.close())

  it('is a tunnel that is down, for the reason that its status has, with the id of that sentence', async () => {
    const { tunnel_id, name } = await panel.up({ monitor_window_size: 10 })
    panel.prober.lose(name, 10, 'unreachable', '198.51.100.7 says: host unreachable')
    await eventually(() => panel.knocks.requests.length === 1, 'a knock')
    panel.prober.lose(name, 3, 'unreachable', '198.51.100.7 says: host unreachable')
    const { reason_message } = await statusOf(panel.operator, tunnel_id)
    const { incidents } = (await panel.operator.get<AttentionAnswer>('/reconcile/attention')).body
    assert.deepEqual(
      incidents.map((one) => one.reason_message),
      [reason_message],
    )
    assert.match(JSON.stringify(reason_message.params), /"root\.host_unreachable"/)
  })

  it('counts the enabled tunnels and rules whose state is known, and those whose state is not', async () => {
    const counted = async () => {
      const { known, unmeasured, unmonitored } = (await panel.operator.get<AttentionAnswer>('/reconcile/attention'))
        .body
      return { known, ...unmeasured, unmonitored }
    }
    assert.deepEqual(await counted(), { known: 0, tunnels: 0, rules: 0, unmonitored: 0 })
    const { name, tunnel_id } = await panel.probed({ monitor_window_size: 10 })
    await createTunnel(panel.operator, { remote_endpoint: '203.0.113.9', is_enabled: false })
    await madeRoute(panel.operator, { route_rule_title: 'Web', bind_port: 443 })
    await madeRoute(panel.operator, { route_rule_title: 'Off', bind_port: 80, is_enabled: false })
    assert.deepEqual(await counted(), { known: 0, tunnels: 1, rules: 1, unmonitored: 0 })
    await panel.routeWatch.pass('event')
    assert.deepEqual(await counted(), { known: 1, tunnels: 1, rules: 0, unmonitored: 0 })
    panel.prober.answer(name, 10)
    await panel.until(tunnel_id, 'Up')
    assert.deepEqual(await counted(), { known: 2, tunnels: 0, rules: 0, unmonitored: 0 })
    await panel.operator.put('/settings', { 'monitor.enabled': false })
    await panel.until(tunnel_id, 'Disabled')
    assert.deepEqual(await counted(), { known: 1, tunnels: 0, rules: 0, unmonitored: 1 })
  })
})

describe('What needs attention of the host itself', () => {
  let panel: TestPanel
  let client: Client
  const certificates = new Certificates()
  afterEach(() => panel.close())
  after(() => certificates.remove())

  const start = async (parts: TestParts): Promise<void> => {
    panel = await startPanel(parts)
    client = await panel.setUp()
  }
  const incidents = async (): Promise<Incident[]> =>
    (await client.get<AttentionAnswer>('/reconcile/attention')).body.incidents
  const reported = async (): Promise<unknown[]> =>
    (await incidents()).map(({ kind, id, name, state, since, reason_message }) => [
      kind,
      id,
      name,
      state,
      since,
      reason_message.message_id,
    ])

  /** A certificate for 825 days, made so many days ago. */
  const madeAgo = (days: number): CertificateWatcher =>
    new CertificateWatcher({
      files: filesIn(certificates.make(`${days}`, new Date(Date.now() - days * 24 * 3600 * 1000))),
      logger: makeLogger({ write: () => undefined }),
    })

  it('is a certificate that expires within 30 days, and since when one has expired', async () => {
    await start({ certificate: madeAgo(1) })
    assert.deepEqual(await reported(), [])
    await panel.close()
    const names = 'DNS:localhost, IP Address:127.0.0.1'
    await start({ certificate: madeAgo(825 - 29) })
    assert.deepEqual(await reported(), [['certificate', null, names, 'degraded', null, 'attention.certificate_soon']])
    await panel.close()
    const expired = madeAgo(826)
    await start({ certificate: expired })
    const since = expired.pair.valid_to.toISOString()
    assert.deepEqual(await reported(), [['certificate', null, names, 'down', since, 'attention.certificate_expired']])
  })

  it('is a disk that is fuller than the settings allow, by its mount point', async () => {
    let used = 91
    const space = { bsize: 4096, blocks: 100, files: 100, ffree: 90 }
    const host = {
      ...thisHost,
      space: () => Promise.resolve({ ...space, bfree: 100 - used, bavail: 100 - used }),
    }
    await start({ metrics: { host } })
    await client.put('/settings', {
      'metrics.disk_warn_pct': 90,
      'metrics.disk_critical_pct': 97,
      'metrics.sample_interval_seconds': 0.5,
    })
    await panel.metrics.start()
    await client.get('/system/metrics')
    const [first] = await incidents()
    assert.deepEqual([first?.kind, first?.state, first?.reason_message.params['percent']], ['disk', 'degraded', 91])
    assert.match(first?.reason ?? '', /^The disk at \/.* is 91 % full/)
    used = 98
    await panel.metrics.sampler.take()
    assert.deepEqual([(await incidents())[0]?.kind, (await incidents())[0]?.state], ['disk', 'down'])
  })

  it('is the root helper while it is away, although a tunnel is missing too', async () => {
    const kernel = new FakeKernel()
    const helper = requestThrough(inProcessHelper(kernel).request)
    let isAway = false
    await start({
      request: (method, params) => (isAway ? Promise.reject(helperAway('ENOENT')) : helper(method, params)),
    })
    await createTunnel(client, { display_name: 'Hamburg' })
    kernel.held.delete('gre-a-1')
    await panel.watch.pass('event')
    assert.deepEqual(
      (await incidents()).map(({ kind }) => kind),
      ['tunnel'],
    )
    isAway = true
    panel.clock.advance(2)
    const found = await incidents()
    assert.deepEqual(
      found.map(({ kind, state }) => [kind, state]),
      [
        ['helper', 'down'],
        ['tunnel', 'down'],
      ],
    )
    assert.equal(found[0]?.reason_message.message_id, 'attention.helper_away')
  })
})
