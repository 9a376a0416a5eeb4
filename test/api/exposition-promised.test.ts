// What operators of Prometheus rely on at /metrics: the names and labels of every family, seconds and shares where
// others would expect milliseconds and percent, and who may read it (reference.md, /metrics; decisions.md, M8).
import assert from 'node:assert/strict'
import { SCOPES } from '@panel/shared/api/scopes.ts'
import { FakeHost } from '../support/fake-host.ts'
import { readExposition, type ReadFamily } from '../support/exposition.ts'
import { settingsWith } from '../support/settings.ts'
import { FakeChecks, madeThree, untilState } from './support/checks.ts'
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
  beforeEach(async () => {
    const host = new FakeHost()
    for (const name of ['count', 'max']) host.files.set(`/proc/sys/net/netfilter/nf_conntrack_${name}`, '7\n')
    panel = await startWatching({
      metrics: { host, settings: settingsWith({ 'metrics.sample_interval_seconds': 600 }) },
      failover: { run: new FakeChecks().run, random: () => 0 },
      isHelperUp: () => isHelperUp,
    })
    tunnel = await panel.up()
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
