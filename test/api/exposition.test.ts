// GET /metrics: who may read it, what is in it, and that no counter of it ever goes back (reference.md, /metrics;
// decisions.md, M8).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { MethodsThat, Writer } from '@panel/shared/rpc/methods.ts'
import { countersIn, readExposition, type ReadFamily } from '../support/exposition.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { FakeHost } from '../support/fake-host.ts'
import { settingsWith } from '../support/settings.ts'
import { tunnelRequest } from '../support/records.ts'
import type { Client, Reply, Sending } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { actOnRoute, createRoute } from './support/routes.ts'

const OPENMETRICS = { Accept: 'application/openmetrics-text; version=1.0.0' }

describe('/metrics', () => {
  let panel: TestPanel
  let operator: Client
  let host: FakeHost
  let kernel: FakeKernel
  /** The methods that root was sent. */
  let sent: string[] = []
  beforeEach(async () => {
    kernel = new FakeKernel()
    host = new FakeHost()
    const toHelper = requestThrough(inProcessHelper(kernel).request)
    panel = await startPanel({
      request: (async (method: MethodsThat<'read' | 'write'>, params: never) => {
        sent.push(method)
        return toHelper(method, params)
      }) as Writer,
      web_path: 'way',
      metrics: { host, settings: settingsWith({ 'metrics.sample_interval_seconds': 600 }) },
    })
    operator = await panel.setUp()
  })
  afterEach(() => panel.close())

  const set = async (values: object): Promise<void> => {
    const { status } = await operator.put('/settings', values)
    assert.equal(status, 200)
  }
  const turnOn = (): Promise<void> => set({ 'metrics.prometheus_enabled': true })
  const scrape = (client: Client = operator, sending: Sending = {}): Promise<Reply> =>
    client.raw('GET', '/way/metrics', undefined, sending)
  const families = async (sending?: Sending): Promise<ReadonlyMap<string, ReadFamily>> => {
    const { status, text } = await scrape(operator, sending)
    assert.equal(status, 200, text)
    return readExposition(text)
  }
  const samplesOf = async (name: string): Promise<ReadonlyMap<string, number>> =>
    (await families()).get(name)?.samples ?? new Map<string, number>()

  it('is 404 until it is turned on, also with a session', async () => {
    assert.equal((await scrape()).error.code, 'NOT_FOUND')
    await turnOn()
    assert.equal((await scrape()).status, 200)
  })

  it('leaves the page of that name to a browser, whether it is on or off', async () => {
    const asBrowser = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }
    assert.match((await scrape(operator, asBrowser)).text, /<html/)
    await turnOn()
    assert.match((await scrape(operator, asBrowser)).text, /<html/)
  })

  it('is refused without a session', async () => {
    await turnOn()
    assert.equal((await scrape(panel.visitor())).error.code, 'UNAUTHENTICATED')
  })

  it('is OpenMetrics for clients that take it, and the older text otherwise', async () => {
    await turnOn()
    const modern = await scrape(operator, { headers: OPENMETRICS })
    assert.equal(modern.headers['content-type'], 'application/openmetrics-text; version=1.0.0; charset=utf-8')
    assert.match(modern.text, /# EOF\n$/)
    const older = await scrape()
    assert.equal(older.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    assert.doesNotMatch(older.text, /# EOF/)
  })

  it('can be read in both formats, and says the same in both', async () => {
    await turnOn()
    await operator.post('/tunnels', tunnelRequest())
    await createRoute(operator)
    const values = async (sending: Sending): Promise<string[]> =>
      [...(await families(sending)).values()]
        .flatMap(({ samples }) => [...samples.keys()])
        .filter((name) => !name.startsWith('tunnel_panel_http'))
        .sort()
    assert.deepEqual(await values({ headers: OPENMETRICS }), await values({}))
  })

  it('sends nothing to root', async () => {
    await turnOn()
    await createRoute(operator)
    sent = []
    await families()
    assert.deepEqual(sent, [])
  })

  it('names a tunnel by its id, and its interface, kind and far end in its info', async () => {
    await turnOn()
    await operator.post('/tunnels', tunnelRequest({ interface_name: 'gre-a-1' }))
    assert.deepEqual(
      [...(await samplesOf('tunnel_panel_tunnel_info')).keys()],
      ['tunnel_panel_tunnel_info{tunnel="1",interface="gre-a-1",side="a",type="gre",remote="198.51.100.7"}'],
    )
  })

  it('gives each tunnel exactly one state', async () => {
    await turnOn()
    await operator.post('/tunnels', tunnelRequest())
    await panel.monitor.start()
    const states = await samplesOf('tunnel_panel_tunnel_state')
    assert.equal(states.size, 5)
    assert.equal(
      [...states.values()].reduce((all, one) => all + one),
      1,
    )
  })

  it('counts the bytes of a rule from its creation, with its title in its info', async () => {
    await turnOn()
    await createRoute(operator, { route_rule_title: 'web "one"', bind_port: 443 })
    kernel.rulesets.relay(1, { rx_bytes: 10, tx_bytes: 20, rx_packets: 1, tx_packets: 2 })
    await panel.traffic.sample()
    assert.equal((await samplesOf('tunnel_panel_rule_transmit_bytes_total')).get(only('transmit_bytes_total')), 20)
    assert.equal((await samplesOf('tunnel_panel_rule_receive_packets_total')).get(only('receive_packets_total')), 1)
    const [info = ''] = (await samplesOf('tunnel_panel_rule_info')).keys()
    assert.match(info, /rule="1",title="web \\"one\\"",bind=".*",port="443",protocol="tcp"/)
  })

  it('says how a rule is once it was compared with the host', async () => {
    await turnOn()
    await createRoute(operator)
    await panel.routeWatch.pass('start')
    const health = await samplesOf('tunnel_panel_rule_health')
    assert.equal(
      [...health.values()].reduce((all, one) => all + one),
      1,
    )
  })

  it('says how many tunnels and rules the host does not hold as they are stored', async () => {
    await turnOn()
    await createRoute(operator)
    kernel.rulesets.flush()
    await panel.routeWatch.pass('event')
    assert.equal((await samplesOf('tunnel_panel_drift_items')).get('tunnel_panel_drift_items{noun="route"}'), 1)
  })

  it('has all rules, those with a tag, or none, as the setting says', async () => {
    await turnOn()
    await createRoute(operator, { route_rule_title: 'one', bind_port: 1001, tags: ['watched'] })
    await createRoute(operator, { route_rule_title: 'two', bind_port: 1002 })
    const count = async (): Promise<number> => (await samplesOf('tunnel_panel_rule_info')).size
    assert.equal(await count(), 2)
    await set({ 'metrics.prometheus_rules': 'tagged' })
    assert.equal(await count(), 1)
    await set({ 'metrics.prometheus_rules': 'none' })
    assert.equal(await count(), 0)
  })

  it('has no address of a client, and none of an allowed source', async () => {
    await turnOn()
    await createRoute(operator, { allowed_sources: [{ cidr: '203.0.113.0/24' }] })
    const { text } = await scrape()
    for (const address of ['203.0.113.', '127.0.0.1']) assert.ok(!text.includes(address), address)
  })

  it('counts requests by endpoint and status, and whatever is no endpoint together', async () => {
    await turnOn()
    await operator.get('/tunnels/99')
    await operator.raw('GET', '/way/no-such-page')
    const counted = await samplesOf('tunnel_panel_http_requests_total')
    assert.equal(counted.get('tunnel_panel_http_requests_total{route="GET /tunnels/{id}",status="404"}'), 1)
    assert.equal(counted.get('tunnel_panel_http_requests_total{route="other",status="200"}'), 1)
  })

  it('tells how long root took for the changes that it made', async () => {
    await turnOn()
    await createRoute(operator)
    const took = await samplesOf('tunnel_panel_change_seconds')
    assert.equal(took.get('tunnel_panel_change_seconds_count{operation="ruleset.apply"}'), 1)
  })

  it('tells how full the table of connections is', async () => {
    await turnOn()
    host.files.set('/proc/sys/net/netfilter/nf_conntrack_count', '12\n')
    host.files.set('/proc/sys/net/netfilter/nf_conntrack_max', '262144\n')
    assert.equal((await samplesOf('tunnel_panel_conntrack_entries')).get('tunnel_panel_conntrack_entries'), 12)
    assert.equal((await samplesOf('tunnel_panel_conntrack_limit')).get('tunnel_panel_conntrack_limit'), 262_144)
  })

  /** What happens to counters on a host; each starts the kernel's own again at zero, or leaves them. */
  const REBUILDS = ['reapply', 'flush', 'remake', 'rename', 'boot', 'disable'] as const

  it('has no counter that goes back, over 100 rebuilds of what is counted', async function () {
    await turnOn()
    await operator.post('/tunnels', tunnelRequest({ interface_name: 'gre-a-1' }))
    await createRoute(operator)
    let [name, bytes, index] = ['gre-a-1', 0, 10]
    host.traffic({ [name]: [bytes, bytes] })
    await panel.metrics.start()
    const steps = fc.sample(fc.tuple(fc.constantFrom(...REBUILDS), fc.nat(1000)), { numRuns: 100, seed: 20 })
    let before = new Map<string, number>()
    for (const [what, moved] of steps) {
      if (what === 'reapply' || what === 'disable') await actOnRoute(operator, 1, what)
      if (what === 'disable') await actOnRoute(operator, 1, 'enable')
      if (what === 'flush') kernel.rulesets.flush()
      if (what === 'flush') await actOnRoute(operator, 1, 'reapply')
      if (what === 'remake') [bytes, index] = [0, index + 1]
      if (what === 'boot') host.boot(`boot ${(index += 1)}`)
      if (what === 'rename') {
        name = name === 'gre-a-1' ? 'gre-a-9' : 'gre-a-1'
        const { status } = await operator.patch('/tunnels/1', { interface_name: name, confirm_recreate: true })
        assert.equal(status, 200)
      }
      bytes += moved
      host.traffic({ [name]: [bytes, bytes] })
      kernel.rulesets.relay(1, { rx_bytes: moved, tx_bytes: moved, rx_packets: 1, tx_packets: 1 })
      await panel.metrics.sampler.take()
      await panel.traffic.sample()
      const after = countersIn(await families())
      for (const [counter, value] of before)
        assert.ok((after.get(counter) ?? -1) >= value, `${counter}: ${value}, then ${after.get(counter)}, at ${what}`)
      before = after
    }
    const relayed = steps.reduce((all, [, moved]) => all + moved, 0)
    assert.equal(before.get('tunnel_panel_rule_transmit_bytes_total{rule="1"}'), relayed)
  })

  const only = (name: string): string => `tunnel_panel_rule_${name}{rule="1"}`
})
