// What operators of Prometheus rely on at /metrics: the names and labels of every family, seconds and shares where
// others would expect milliseconds and percent, and who may read it (reference.md, /metrics; decisions.md, M8).
import assert from 'node:assert/strict'
import { SCOPES } from '@panel/shared/api/scopes.ts'
import { captured, FakeHost } from '../support/fake-host.ts'
import { readExposition, type ReadFamily } from '../support/exposition.ts'
import { settingsWith } from '../support/settings.ts'
import { Certificates, pairIn } from './support/certificates.ts'
import { FakeChecks, madeThree, untilState } from './support/checks.ts'
import { tryListener } from './support/listeners.ts'
import { startWatching, type WatchingPanel } from './support/monitor.ts'

/** Each family with the labels of its samples. */
const PROMISED = {
  tunnel_panel_build_info: 'version',
  tunnel_panel_up: '',
  tunnel_panel_helper_up: '',
  tunnel_panel_drift_items: 'noun',
  tunnel_panel_safe_apply_open: '',
  tunnel_panel_conntrack_entries: '',
  tunnel_panel_conntrack_limit: '',
  tunnel_panel_certificate_valid_from_seconds: 'listener',
  tunnel_panel_certificate_valid_to_seconds: 'listener',
  tunnel_panel_disk_size_bytes: 'disk',
  tunnel_panel_disk_available_bytes: 'disk',
  tunnel_panel_disk_level: 'disk state',
  tunnel_panel_heal_contested: 'noun',
  tunnel_panel_change_seconds: 'operation le',
  tunnel_panel_http_requests_total: 'route status',
  tunnel_panel_tunnel_info: 'tunnel interface side type remote',
  tunnel_panel_tunnel_state: 'tunnel state',
  tunnel_panel_tunnel_agreement: 'tunnel state',
  tunnel_panel_tunnel_rtt_seconds: 'tunnel',
  tunnel_panel_tunnel_loss_ratio: 'tunnel',
  tunnel_panel_tunnel_receive_bytes_total: 'tunnel',
  tunnel_panel_tunnel_transmit_bytes_total: 'tunnel',
  tunnel_panel_rule_info: 'rule title bind port protocol',
  tunnel_panel_rule_receive_bytes_total: 'rule',
  tunnel_panel_rule_transmit_bytes_total: 'rule',
  tunnel_panel_rule_receive_packets_total: 'rule',
  tunnel_panel_rule_transmit_packets_total: 'rule',
  tunnel_panel_rule_connections: 'rule',
  tunnel_panel_rule_health: 'rule state',
  tunnel_panel_rule_severity: 'rule state',
  tunnel_panel_destination_up: 'rule destination',
}

describe('What /metrics promises', () => {
  let panel: WatchingPanel
  let tunnel: { tunnel_id: number; name: string }
  let isHelperUp = true
  const certificates = new Certificates()
  const pair = pairIn(certificates.make('panel'))
  const tls = { cert: pair.cert, key: pair.key }
  let host: FakeHost
  after(() => certificates.remove())
  beforeEach(async () => {
    host = new FakeHost()
    for (const name of ['count', 'max']) host.files.set(`/proc/sys/net/netfilter/nf_conntrack_${name}`, '7\n')
    panel = await startWatching({
      metrics: { host, settings: settingsWith({ 'metrics.sample_interval_seconds': 600 }) },
      failover: { run: new FakeChecks().run, random: () => 0 },
      isHelperUp: () => isHelperUp,
    })
    tunnel = await panel.up()
    assert.equal((await tryListener(panel.operator, { tls })).status, 201)
    await panel.operator.put('/settings', { 'metrics.prometheus_enabled': true })
    host.traffic({ [tunnel.name]: [1000, 2000] })
    await panel.metrics.start()
    await panel.metrics.sampler.take()
  })
  afterEach(() => panel.close())

  const families = async (): Promise<ReadonlyMap<string, ReadFamily>> => {
    const { status, text } = await panel.operator.raw('GET', '/metrics')
    assert.equal(status, 200, text)
    return readExposition(text)
  }
  const value = async (name: string, labels = ''): Promise<number | undefined> =>
    (await families()).get(`tunnel_panel_${name}`)?.samples.get(`tunnel_panel_${name}${labels}`)

  it('is every family, each with its labels and no others', async () => {
    await panel.failover.start()
    await untilState(panel.operator, await madeThree(panel.operator), '10.9.0.2', 'up')
    await panel.traffic.sample()
    await panel.traffic.count()
    await panel.watch.pass('start')
    await panel.routeWatch.pass('start')
    const found = [...(await families())].map(([name, { samples }]) => [
      name,
      [
        ...new Set([...samples.keys()].flatMap((sample) => [...sample.matchAll(/(\w+)="/g)].map(([, one]) => one))),
      ].join(' '),
    ])
    assert.deepEqual(
      found.sort(([a = ''], [b = '']) => a.localeCompare(b)),
      Object.entries(PROMISED).sort(([a], [b]) => a.localeCompare(b)),
    )
  })

  it('is the round trip in seconds, and the loss as a share', async () => {
    panel.prober.lose(tunnel.name, 5)
    const labels = `{tunnel="${tunnel.tunnel_id}"}`
    assert.equal(await value('tunnel_rtt_seconds', labels), 0.01)
    assert.equal(await value('tunnel_loss_ratio', labels), 0.5)
  })

  it('is whether the helper is there, and whether changes wait for a confirmation', async () => {
    assert.deepEqual([await value('helper_up'), await value('safe_apply_open')], [1, 0])
    isHelperUp = false
    assert.equal((await panel.operator.post('/safe-apply', { seconds: 30 })).status, 201)
    assert.deepEqual([await value('helper_up'), await value('safe_apply_open')], [0, 1])
    isHelperUp = true
  })

  it('is when the certificate that clients are shown begins and ends', async () => {
    const bounds = ['from', 'to'].map((end) => value(`certificate_valid_${end}_seconds`, '{listener="trial"}'))
    assert.deepEqual(
      await Promise.all(bounds),
      [pair.valid_from, pair.valid_to].map((at) => at.getTime() / 1000),
    )
  })

  it('is how full each disk is that can be written, once, by the levels of the settings', async () => {
    const levels = (): Promise<unknown[]> =>
      Promise.all(['ok', 'warn', 'critical'].map((state) => value('disk_level', `{disk="/",state="${state}"}`)))
    const space = { bsize: 4096, blocks: 1000, files: 100, ffree: 75 }
    assert.deepEqual(await levels(), [1, 0, 0])
    host.disks.set('/', async () => ({ ...space, bfree: 40, bavail: 40 }))
    await panel.metrics.sampler.take()
    assert.deepEqual(await levels(), [0, 0, 1])
    const bytes = ['size', 'available'].map((what) => value(`disk_${what}_bytes`, '{disk="/"}'))
    assert.deepEqual(await Promise.all(bytes), [4_096_000, 163_840])
    host.files.set('/proc/self/mountinfo', captured('mountinfo').replaceAll('/dev/vda rw', '/dev/vda ro'))
    await panel.metrics.sampler.take()
    assert.deepEqual(await levels(), [undefined, undefined, undefined])
  })

  it('is how many rules something takes away again and again', async () => {
    const contested = () => value('heal_contested', '{noun="route"}')
    await panel.operator.put('/settings', { 'system.self_heal': 'rules' })
    await madeThree(panel.operator)
    assert.equal(await contested(), 0)
    for (let times = 0; times < 3; times += 1) {
      panel.clock.advance(600)
      panel.host.rulesets.flush()
      panel.routeWatch.hint('all')
      await panel.routeWatch.pass('event')
    }
    assert.deepEqual([await contested(), await value('heal_contested', '{noun="tunnel"}')], [1, 0])
  })

  it('is compressed for clients that take that, with the same content', async () => {
    const { text: token } = (
      await panel.operator.post<{ text: string }>('/auth/tokens', { title: 'scraper', scopes: ['metrics'] })
    ).body
    const scrape = async (encoding: string): Promise<[string | null, string[]]> => {
      const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': encoding }
      const answer = await fetch(new URL('metrics', panel.base), { headers })
      return [answer.headers.get('content-encoding'), [...readExposition(await answer.text()).keys()]]
    }
    const [packed, plain] = [await scrape('gzip'), await scrape('identity')]
    assert.deepEqual([packed[0], plain[0]], ['gzip', null])
    assert.deepEqual(packed[1], plain[1])
  })

  it('is read by a token with the scope for it, or for reading, or for everything, and by no other', async () => {
    const opened: string[] = []
    for (const scope of SCOPES) {
      const wanted = { title: scope, scopes: [scope] }
      const { text } = (await panel.operator.post<{ text: string }>('/auth/tokens', wanted)).body
      const headers = { Authorization: `Bearer ${text}` }
      const { status } = await panel.visitor().raw('GET', '/metrics', undefined, { headers })
      assert.ok([200, 403].includes(status), `${scope}: ${status}`)
      if (status === 200) opened.push(scope)
    }
    assert.deepEqual(opened.sort(), ['*', 'metrics', 'read'])
  })
})
