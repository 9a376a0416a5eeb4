// The address of an uplink replaced, as DHCP and PPPoE do, under flows over real GRE: an automatic tunnel takes the new
// one by itself, and neither a flow, the index nor a route is lost once the far end has followed (decisions.md, T49).
import assert from 'node:assert/strict'
import type { CreateTunnelAnswer, TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { canonicalConfig } from '@panel/shared/tunnel/canonical.ts'
import { isIpv6Kind, LINK_KINDS, type LinkConfig } from '@panel/shared/tunnel/model.ts'
import { linkAddArguments, linkChangeArguments } from '@panel/shared/tunnel/systemd-unit.ts'
import { exampleConfig, mirrored } from '../support/example.ts'
import { becomes } from './eventually.ts'
import { startLab, type Lab, type Server } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { echoFlows, openFlows } from './panel/flows.ts'
import { expect, Panel } from './panel/panel.ts'

const FAR = 'by-hand'
const INTERFACE = 'gre-a-1'
const [NEAR_INSIDE, FAR_INSIDE] = ['172.17.1.1', '172.17.1.2']
const FLOWS = 100
const UPLINK = {
  4: { first: '192.0.2.1/30', next: '198.51.100.5/24' },
  6: { first: '2001:db8::1/64', next: '2001:db8:1::5/64' },
} as const
const addressOf = (cidr: string): string => cidr.split('/')[0] ?? ''

describe('An uplink that gets another address, over real GRE', function () {
  let lab: Lab
  let panel: Panel
  let near: Server
  let far: Server

  before(async () => {
    lab = await startLab({ kind: 'user-mode' })
    const servers = await lab.twoServers()
    await putPanel(lab)
    ;({ a: near, b: far } = servers)
    panel = await new Panel(near).start()
    await panel.setUp()
    for (const { next } of Object.values(UPLINK)) await far.run(`ip route add ${addressOf(next)} dev eth0`)
  })
  after(() => lab?.stop())

  const hears = async (): Promise<void> => {
    const { code } = await near.try('ping', ['-c', '1', '-W', '20', FAR_INSIDE])
    assert.equal(code, 0)
  }
  const routes = (): Promise<string> => near.run(`ip route show table all dev ${INTERFACE} | sort`)
  const unit = (): Promise<string> => near.run(`cat ${panel.unitDir}/*${INTERFACE}*.service`)
  const shown = (tunnel_id: number, holds: (seen: TunnelView) => boolean): Promise<TunnelView> =>
    becomes(async () => expect(await panel.operator.get<TunnelView>(`/tunnels/${tunnel_id}`), 200), holds)
  /** A connection ends with its address, and the next one brings another. */
  const hangUp = (cidr: string): Promise<string> => near.run(`ip address del ${cidr} dev eth0`)
  const dial = async (cidr: string, to: string): Promise<void> => {
    await near.run(`ip address add ${cidr} dev eth0 ${cidr.includes(':') ? 'nodad' : ''}`)
    await near.run(`ip route replace ${to} dev eth0`)
  }

  for (const [at, kind] of LINK_KINDS.entries())
    it(`keeps ${FLOWS} flows, its index and its routes: ${kind}`, async () => {
      const tunnel_id = at + 1
      const isSix = isIpv6Kind(kind)
      const { first, next } = UPLINK[isSix ? 6 : 4]
      const [remote_endpoint, moved] = [isSix ? far.address6 : far.address, addressOf(next)]
      const body = {
        ...{ local_endpoint: null, remote_endpoint, ikey: 11, okey: 11, interface_name: INTERFACE },
        tunnel_type_id: tunnel_id * 10,
        addresses: [{ address: NEAR_INSIDE, prefix_length: 30 }],
      }
      const { tunnel } = expect(await panel.operator.post<CreateTunnelAnswer>('/tunnels', body), 201)
      assert.equal(tunnel.local_endpoint, addressOf(first))
      const ends = { kind, local_endpoint: addressOf(first), remote_endpoint, ikey: 11, okey: 11 }
      const config = canonicalConfig({ ...exampleConfig, ...ends, encap_limit: tunnel.encap_limit, addresses: [] })
      const here: LinkConfig = { ...config, mtu: tunnel.mtu }
      await far.run('ip', linkAddArguments(FAR, mirrored(here), ['up']))
      await far.run(`ip address add ${FAR_INSIDE}/30 dev ${FAR}`)
      await hears()
      await echoFlows(far, FAR_INSIDE, 7000 + at)
      await near.run(`ip route add 10.50.0.0/16 dev ${INTERFACE}`)
      const [flows, was] = [await openFlows(near, FAR_INSIDE, 7000 + at, FLOWS), await routes()]

      await hangUp(first)
      const silent = await shown(tunnel_id, ({ local_endpoint_problem }) => local_endpoint_problem !== '')
      assert.equal(silent.local_endpoint_problem_message.message_id, 'tunnel.local_last_address')
      assert.equal(silent.observed.local_endpoint, addressOf(first))
      await dial(next, remote_endpoint)
      const began = performance.now()
      const now = await shown(tunnel_id, ({ local_endpoint }) => local_endpoint === moved)
      console.log(`      followed within ${Math.round(performance.now() - began)} ms`)
      await far.run('ip', linkChangeArguments(FAR, mirrored({ ...here, local_endpoint: moved })))
      assert.deepEqual(
        [now.observed.local_endpoint, now.observed.index, now.local_endpoint_problem],
        [moved, tunnel.observed.index, ''],
      )
      assert.equal(await routes(), was)
      assert.match(await unit(), new RegExp(`local ${moved}`))
      await hears()
      assert.deepEqual(await flows.end(), { flows: FLOWS, over: 0 })

      expect(await panel.operator.delete(`/tunnels/${tunnel_id}`), 200)
      await far.run(`ip link delete ${FAR}`)
      await near.run(`ip route del ${remote_endpoint} dev eth0`)
      await hangUp(next)
      await dial(first, remote_endpoint)
    })

  for (const kind of ['gre', 'ip6gre'] as const)
    it(`takes the source that the route gets, beside an address that stays: ${kind}`, async () => {
      const { first, next } = UPLINK[isIpv6Kind(kind) ? 6 : 4]
      const remote_endpoint = isIpv6Kind(kind) ? far.address6 : far.address
      const tunnel_type_id = (LINK_KINDS.indexOf(kind) + 1) * 10
      const body = { local_endpoint: null, remote_endpoint, tunnel_type_id, interface_name: INTERFACE }
      const { tunnel } = expect(await panel.operator.post<CreateTunnelAnswer>('/tunnels', body), 201)
      assert.equal(tunnel.local_endpoint, addressOf(first))
      await dial(next, remote_endpoint)
      await near.run(`ip route replace ${remote_endpoint} dev eth0 src ${addressOf(next)}`)
      const { observed } = await shown(tunnel.tunnel_id, ({ local_endpoint }) => local_endpoint === addressOf(next))
      assert.deepEqual([observed.local_endpoint, observed.index], [addressOf(next), tunnel.observed.index])
      expect(await panel.operator.delete(`/tunnels/${tunnel.tunnel_id}`), 200)
      await near.run(`ip route replace ${remote_endpoint} dev eth0`)
      await hangUp(next)
    })
})
