// Connections that are counted are open: the kernel remembers those that have ended for minutes, and no answer of the
// panel counts them. Those that are to end do, whichever change left them. With whatever carries out the rules.
import assert from 'node:assert/strict'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { ChangeRouteAnswer, RouteAnswer, UpdateRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { RouteCheckAnswer } from '@panel/shared/api/routes/check.ts'
import type { ConnectionsAnswer } from '@panel/shared/api/routes/connections.ts'
import { eventually } from '../support/eventually.ts'
import { readExposition } from '../support/exposition.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RelayRig, SERVERS } from './relay-rig.ts'

const [ONE, TWO] = SERVERS
const SHORT = 60
const UDP = 20
const tcp = (port: number, address = RELAY): Place => ({ protocol: 'tcp', address, port })
const udp = (port: number, address = RELAY): Place => ({ protocol: 'udp', address, port })

for (const backend of ['nftables', 'iptables_nft', 'iptables_legacy'] as const)
  describe(`Connections that have ended, with ${backend}`, function () {
    const rig = new RelayRig({ PANEL_RULE_BACKEND: backend })
    let panel: ReturnType<RelayRig['panel']>
    before(async () => {
      await rig.open()
      // What has ended is remembered for longer than this takes on a busy machine.
      for (const state of ['close', 'time_wait'])
        rig.relay.run('sysctl', ['-qw', `net.netfilter.nf_conntrack_tcp_timeout_${state}=600`])
      panel = rig.panel()
      for (const address of [ONE, TWO]) await rig.servers.calls.listen(tcp(80, address))
    })
    after(() => rig.close())

    async function api<B>(method: string, path: string, body?: unknown): Promise<B> {
      const reply = await panel.request(method, path, body)
      assert.ok([200, 201].includes(reply.status), `${method} ${path}: ${JSON.stringify(reply.body)}`)
      return reply.body as B
    }
    /** How many entries of this port the kernel has, by their state. */
    const tracked = (port: number): Map<string, number> => {
      const found = new Map<string, number>()
      for (const [, state = '', to = ''] of rig.relay
        .run('cat', ['/proc/net/nf_conntrack'])
        .matchAll(/ tcp +6 [0-9]+ ([A-Z_0-9]+) src=\S+ dst=\S+ sport=[0-9]+ dport=([0-9]+)/g))
        if (Number(to) === port) found.set(state, (found.get(state) ?? 0) + 1)
      return found
    }
    const hasEnded = (port: number): boolean => {
      const found = tracked(port)
      return (found.get('TIME_WAIT') ?? 0) + (found.get('CLOSE') ?? 0) >= SHORT && !found.has('LAST_ACK')
    }

    it('are in no count of the panel, and those that are open are in each', async () => {
      const destinations = [ONE, TWO].map((address) => ({ address, port: 80 }))
      const { route } = await api<ChangeRouteAnswer>('POST', '/routes', {
        bind_address: RELAY,
        bind_port: 1001,
        destinations,
      })
      const id = route.route_rule_id
      await panel.count()
      for (let n = 0; n < SHORT; n += 1) await rig.client.calls.talk(tcp(1001))
      for (const name of ['a', 'b']) await rig.client.calls.hold(name, tcp(1001))
      await eventually(() => hasEnded(1001), 'the short ones have ended')
      await panel.count()

      const { active_connections, new_connections_per_second } = await api<RouteAnswer>('GET', `/routes/${id}`)
      assert.equal(active_connections, 2)
      assert.ok((new_connections_per_second ?? 0) > 0)
      const found = await api<ConnectionsAnswer>('GET', `/routes/${id}/connections`)
      assert.deepEqual([found.total, found.connections.map(({ state }) => state)], [2, ['ESTABLISHED', 'ESTABLISHED']])
      assert.deepEqual(Object.values(found.by_source), [2])
      const { destinations: checked } = await api<RouteCheckAnswer>('GET', `/routes/${id}/check`)
      assert.deepEqual(
        checked.map(({ connections }) => connections),
        [1, 1],
      )
      await api('PUT', '/settings', { 'metrics.prometheus_enabled': true })
      assert.deepEqual(
        [
          ...(readExposition(await panel.metrics())
            .get('tunnel_panel_rule_connections')
            ?.samples.values() ?? []),
        ],
        [2],
      )
      const body = { destinations: [{ address: SERVERS[2], port: 80 }], drop_connections: true }
      const change = { method: 'PATCH', path: `/routes/${id}`, body }
      const { impact } = await api<ImpactAnswer>('POST', '/impact', { ...change, with_sources: true })
      assert.deepEqual(
        [impact.connections.end, impact.connections.top_sources?.map(({ connections }) => connections)],
        [2, [2]],
      )
      const { connections_dropped } = await api<UpdateRouteAnswer>(change.method, change.path, change.body)
      assert.equal(connections_dropped, 2)
    })

    it('are those that both sides have ended: while one has not, it may still send', async () => {
      const { route } = await api<ChangeRouteAnswer>('POST', '/routes', {
        ...{ bind_address: RELAY, bind_port: 1002, destination_address: ONE, destination_port: 80 },
      })
      const total = async (): Promise<number | null> =>
        (await api<ConnectionsAnswer>('GET', `/routes/${route.route_rule_id}/connections`)).total
      await rig.client.calls.hold('half', tcp(1002))
      // The kernel of a program that stands still acknowledges the end, so that nobody says it again.
      rig.servers.child.kill('SIGSTOP')
      await rig.client.calls.release()
      await eventually(() => tracked(1002).has('CLOSE_WAIT'), 'the client has ended it')
      assert.equal(await total(), 1)
      rig.servers.child.kill('SIGCONT')
      await eventually(async () => (await total()) === 0, 'the server has ended it too')
      assert.equal(tracked(1002).size, 1)
    })

    it('are on request those of UDP that still send to a destination of earlier, whichever change left it', async () => {
      for (const address of [ONE, TWO]) await rig.servers.calls.listen(udp(80, address))
      const { route } = await api<ChangeRouteAnswer>('POST', '/routes', {
        ...{ bind_address: RELAY, bind_port: 1003, route_protocol_id: UDP },
        ...{ destination_address: ONE, destination_port: 80 },
      })
      const path = `/routes/${route.route_rule_id}`
      const served = async (name: string): Promise<string | undefined> =>
        (await rig.client.calls.askOnFlow(name, udp(1003)))?.server
      assert.equal(await served('earlier'), `${ONE} 80`)
      let isSending = true
      const sending = (async () => {
        while (isSending) await served('earlier')
      })()
      await api('PATCH', path, { destination_address: TWO })
      await api('PATCH', path, { description: 'of the store alone' })
      assert.equal(await served('present'), `${TWO} 80`)
      const body = { allowed_sources: [{ cidr: '10.1.0.0/16' }], drop_connections: true }
      const { impact } = await api<ImpactAnswer>('POST', '/impact', { method: 'PATCH', path, body })
      assert.deepEqual([impact.connections.end, impact.connections.survive], [1, 1])
      assert.equal((await api<UpdateRouteAnswer>('PATCH', path, body)).connections_dropped, 1)
      isSending = false
      await sending
      assert.deepEqual([await served('earlier'), await served('present')], [`${TWO} 80`, `${TWO} 80`])
      await rig.client.calls.release()
    })
  })
