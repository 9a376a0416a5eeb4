// A rule that leaves clients their own addresses, over a tunnel whose far end sends its answers to them another way. A
// veth named as a tunnel stands for the tunnel: this machine may have no GRE.
import assert from 'node:assert/strict'
import type { RouteAnalysis } from '@panel/shared/api/analysis.ts'
import type { ChangeRouteAnswer, RouteHealthView, RouteItem } from '@panel/shared/api/routes/answers.ts'
import type { MonitorStatusAnswer } from '@panel/shared/api/monitor.ts'
import { eventually } from '../support/eventually.ts'
import { CLIENT, RELAY, RelayRig } from './relay-rig.ts'

const TUNNEL = 'gre-a-9'
const [NEAR, FAR] = ['10.8.0.1', '10.8.0.2']
const [NO_NAT, BOTH] = [30, 30]
const [PORT, SERVICE] = [1001, 80]

describe('A relay rule that leaves clients their own addresses', () => {
  const rig = new RelayRig()
  let panel: ReturnType<RelayRig['panel']>
  let id: number
  before(async () => {
    await rig.open()
    rig.relay.run('ip', `link add ${TUNNEL} type veth peer name far9 netns ${rig.servers.child.pid}`.split(' '))
    rig.relay.batch(`addr add ${NEAR}/30 dev ${TUNNEL}`, `link set ${TUNNEL} up`)
    rig.servers.batch(
      `addr add ${FAR}/30 dev far9`,
      'link set far9 up',
      'link add provider type veth peer name void',
      'link set provider up',
      'route replace default dev provider',
    )
    for (const protocol of ['tcp', 'udp'] as const)
      await rig.servers.calls.listen({ protocol, address: FAR, port: SERVICE })
    panel = rig.panel()
    await panel.tunnel(TUNNEL, NEAR)
    await panel.watch()
    await panel.monitor()
    const body = { bind_address: RELAY, bind_port: PORT, destination_address: FAR, destination_port: SERVICE }
    const { route } = await api<ChangeRouteAnswer>('POST', '/routes', {
      ...body,
      route_protocol_id: BOTH,
      nat_mode_id: NO_NAT,
    })
    id = route.route_rule_id
  })
  after(() => rig.close())

  async function api<B>(method: string, path: string, body?: unknown): Promise<B> {
    const reply = await panel.request(method, path, body)
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body as B
  }
  const health = async (): Promise<RouteHealthView> => (await api<RouteItem>('GET', `/routes/${id}`)).health
  const talks = async (): Promise<(string | undefined)[]> =>
    Promise.all(
      (['tcp', 'udp'] as const).map(
        async (protocol) => (await rig.client.calls.talk({ protocol, address: RELAY, port: PORT }))?.seen.split(' ')[0],
      ),
    )
  const measured = async (): Promise<readonly string[]> => {
    await talks()
    await panel.sample()
    await panel.count()
    return (await health()).causes.map(({ code }) => code)
  }

  it('has no other cause while nobody knows whether the far end of its tunnel answers', async () => {
    await api('PATCH', '/tunnels/1', { is_monitor_enabled: false })
    await eventually(async () => (await measured()).join() === 'NO_REPLIES', 'that nothing comes back is found')
  })

  it('shows that answers take another way once the far end answers the monitor, in its analysis, too', async () => {
    await api('PATCH', '/tunnels/1', { is_monitor_enabled: true })
    await eventually(
      async () => (await api<MonitorStatusAnswer>('GET', '/tunnels/1/status')).state === 'Up',
      'the tunnel is up',
    )
    await eventually(async () => (await measured()).join() === 'ANSWERS_TAKE_ANOTHER_WAY', 'the cause is found')
    const { causes, severity } = await health()
    assert.deepEqual([causes[0]?.hop, causes[0]?.effect, severity], ['far_end', 'may_stop', 'unknown'])
    const { evidence } = await api<RouteAnalysis>('POST', `/routes/${id}/diagnostics/analyze`)
    const found = evidence.find(({ name }) => name === 'traffic')?.detail ?? ''
    assert.ok(found.startsWith(causes[0]?.detail ?? '-'), found)
  })

  it('relays, and lets the far end see the client, once the lines of the cause are run there', async () => {
    const [cause = assert.fail()] = (await health()).causes
    const lines = cause.remedies.flatMap(({ commands }) => commands)
    assert.equal(lines.length, 3)
    assert.deepEqual(await talks(), [undefined, undefined])
    for (const line of lines) rig.servers.run('sh', ['-c', line])
    assert.deepEqual(await talks(), [CLIENT, CLIENT])
    await eventually(async () => (await measured()).length === 0, 'the cause is gone')
    assert.equal((await health()).severity, 'ok')
  })
})
