// A far end that gets another address, under flows over real GRE and before a real name server: the panel follows the
// name by itself, and neither a flow, the index nor a route is lost (decisions.md, T48).
import assert from 'node:assert/strict'
import type { CreateTunnelAnswer, TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { canonicalConfig } from '@panel/shared/tunnel/canonical.ts'
import { isIpv6Kind, LINK_KINDS } from '@panel/shared/tunnel/model.ts'
import { linkAddArguments, linkChangeArguments } from '@panel/shared/tunnel/systemd-unit.ts'
import { exampleConfig, mirrored } from '../support/example.ts'
import { becomes } from './eventually.ts'
import { startLab, type Lab, type Server } from './lab/index.ts'
import type { Running } from './lab/running.ts'
import { putPanel } from './panel/bundles.ts'
import { echoFlows, openFlows } from './panel/flows.ts'
import { expect, Panel } from './panel/panel.ts'

const NAME = 'far.test'
const FAR = 'by-hand'
const INTERFACE = 'gre-a-1'
const [NEAR_INSIDE, FAR_INSIDE] = ['172.17.1.1', '172.17.1.2']
const FLOWS = 100
const MOVED = { 4: '198.51.100.2', 6: '2001:db8:1::2' } as const
const [DNS_PORT, DNS_NAMES] = [5353, '/run/far-end-names']

describe('A far end that moves, over real GRE', function () {
  let lab: Lab
  let panel: Panel
  let far: Server
  let dns: Running

  before(async () => {
    lab = await startLab({ kind: 'user-mode' })
    const servers = await lab.twoServers()
    await putPanel(lab)
    far = servers.b
    panel = await new Panel(servers.a).start()
    await panel.setUp()
    dns = await startNameServer(servers.a)
    expect(await panel.operator.put('/settings', { 'routes.dns_servers': [`127.0.0.1:${DNS_PORT}`] }), 200)
    for (const route of [`${MOVED[4]} dev eth0`, `${MOVED[6]} dev eth0`]) await servers.a.run(`ip route add ${route}`)
  })
  after(() => lab?.stop())

  const leadTo = async (address: string): Promise<void> => {
    await panel.server.run(`echo '${address} ${NAME}' > ${DNS_NAMES}`)
    dns.kill('HUP')
  }
  const hears = async (): Promise<void> => {
    const { code } = await panel.server.try('ping', ['-c', '1', '-W', '20', FAR_INSIDE])
    assert.equal(code, 0)
  }
  const routes = (): Promise<string> => panel.server.run(`ip route show table all dev ${INTERFACE} | sort`)
  const unit = (): Promise<string> => panel.server.run(`cat ${panel.unitDir}/*${INTERFACE}*.service`)

  for (const [at, kind] of (['gre', 'ip6gre'] as const).entries())
    it(`keeps ${FLOWS} flows, its index and its routes: ${kind}`, async () => {
      const tunnel_id = at + 1
      const isSix = isIpv6Kind(kind)
      const [local_endpoint, first] = isSix
        ? [panel.server.address6, far.address6]
        : [panel.server.address, far.address]
      const moved = MOVED[isSix ? 6 : 4]
      await leadTo(first)
      const body = {
        ...{ local_endpoint, remote_hostname: NAME, ikey: 11, okey: 11, interface_name: INTERFACE },
        tunnel_type_id: (LINK_KINDS.indexOf(kind) + 1) * 10,
        addresses: [{ address: NEAR_INSIDE, prefix_length: 30 }],
      }
      const { tunnel } = expect(await panel.operator.post<CreateTunnelAnswer>('/tunnels', body), 201)
      assert.equal(tunnel.remote_endpoint, first)
      const ends = { kind, local_endpoint, remote_endpoint: first, ikey: 11, okey: 11 }
      const near = canonicalConfig({ ...exampleConfig, ...ends, encap_limit: tunnel.encap_limit, addresses: [] })
      await far.run('ip', linkAddArguments(FAR, mirrored({ ...near, mtu: tunnel.mtu }), ['up']))
      await far.run(`ip address add ${FAR_INSIDE}/30 dev ${FAR}`)
      await hears()
      await echoFlows(far, FAR_INSIDE, 7000 + at)
      await panel.server.run(`ip route add 10.50.0.0/16 dev ${INTERFACE}`)
      const [flows, was] = [await openFlows(panel.server, FAR_INSIDE, 7000 + at, FLOWS), await routes()]

      await far.run(`ip address add ${moved}/${isSix ? 64 : 24} dev eth0 ${isSix ? 'nodad' : ''}`)
      await far.run('ip', linkChangeArguments(FAR, mirrored({ ...near, mtu: tunnel.mtu, remote_endpoint: moved })))
      await leadTo(moved)
      const began = performance.now()
      const shown = await becomes(
        async () => expect(await panel.operator.get<TunnelView>(`/tunnels/${tunnel_id}`), 200),
        ({ remote_endpoint }) => remote_endpoint === moved,
      )
      console.log(`      followed after ${Math.round((performance.now() - began) / 1000)} s`)
      assert.deepEqual(
        [shown.observed.remote_endpoint, shown.observed.index, shown.remote_hostname_problem],
        [moved, tunnel.observed.index, ''],
      )
      assert.equal(await routes(), was)
      assert.match(await unit(), new RegExp(`remote ${moved}`))
      await hears()
      assert.deepEqual(await flows.end(), { flows: FLOWS, over: 0 })
      expect(await panel.operator.delete(`/tunnels/${tunnel_id}`), 200)
      await far.run(`ip link delete ${FAR}`)
    })
})

async function startNameServer(server: Server): Promise<Running> {
  await server.run(`touch ${DNS_NAMES}`)
  const listening = [`--port=${DNS_PORT}`, '--listen-address=127.0.0.1', '--bind-interfaces']
  const names = ['--no-resolv', '--no-hosts', `--addn-hosts=${DNS_NAMES}`, '--local=/test/', '--local-ttl=30']
  const itself = ['--keep-in-foreground', '--conf-file=/dev/null', '--log-facility=-', '--user=', '--pid-file']
  const running = server.spawn('dnsmasq', [...itself, ...listening, ...names])
  await running.says(/started/)
  return running
}
