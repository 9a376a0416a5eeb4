// How masquerade is carried out over a real GRE tunnel, as the panel shows it, beside the source that the far end sees
// (decisions.md, F40).
import assert from 'node:assert/strict'
import type { ChangeRouteAnswer, RouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { startLab, type Lab } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { expect, ON_DISK, Panel, wholeMachine, type Place } from './panel/panel.ts'

const [RELAY, NEAR_END, FAR_END] = ['198.51.100.1', '192.0.2.1', '192.0.2.2']
const [FIRST, SECOND, DESTINATION] = ['172.17.1.1', '172.17.1.9', '172.17.1.2']
const PORT = 4460

const CABLES = [
  ...['netns add client', 'netns add far'],
  'link add to-client type veth peer name eth0 netns client',
  'link add to-far type veth peer name eth0 netns far',
  ...[`address add ${RELAY}/24 dev to-client`, `address add ${NEAR_END}/24 dev to-far`],
  ...['link set to-client up', 'link set to-far up'],
]
const CLIENT = ['link set lo up', 'address add 198.51.100.2/24 dev eth0', 'link set eth0 up']
const FAR = [
  ...['link set lo up', `address add ${FAR_END}/24 dev eth0`, 'link set eth0 up'],
  `link add far-gre type gre local ${FAR_END} remote ${NEAR_END} key 7`,
  ...[`address add ${DESTINATION}/24 dev far-gre`, 'link set far-gre up'],
]

describe('How masquerade is carried out over a tunnel, and what the far end sees', function () {
  this.timeout(300_000)
  let lab: Lab
  let panel: Panel<Place>
  let tunnel = ''
  let rule = ''

  const batch = (where: readonly string[], commands: readonly string[]): Promise<string> =>
    lab.run('ip', [...where, '-batch', '-'], { stdin: `${commands.join('\n')}\n` })

  before(async () => {
    lab = await startLab()
    panel = new Panel(await wholeMachine(lab), ON_DISK)
    await putPanel(lab)
    await panel.startHelper()
    await panel.startWeb({ PANEL_LISTEN_ADDRESS: '0.0.0.0' })
    await panel.setUp()
    await batch([], CABLES)
    await Promise.all([batch(['-netns', 'client'], CLIENT), batch(['-netns', 'far'], FAR)])
    const server = `TCP-LISTEN:9000,bind=${DESTINATION},fork,reuseaddr`
    lab.spawn('ip', ['netns', 'exec', 'far', 'socat', server, 'SYSTEM:echo $SOCAT_PEERADDR'])
    const made = await panel.operator.post<CreateTunnelAnswer>('/tunnels', {
      ...{ local_endpoint: NEAR_END, remote_endpoint: FAR_END, ikey: 7, okey: 7, tunnel_type_id: 10 },
      addresses: [FIRST, SECOND].map((address) => ({ address, prefix_length: 24 })),
      persistence_type_id: 30,
    })
    tunnel = `/tunnels/${expect(made, 201).tunnel.tunnel_id}`
    const to = { destination_address: DESTINATION, destination_port: 9000 }
    const relayed = await panel.operator.post<ChangeRouteAnswer>('/routes', {
      ...{ bind_address: RELAY, bind_port: PORT },
      ...to,
    })
    rule = `/routes/${expect(relayed, 201).route.route_rule_id}`
  })
  after(() => lab?.stop())

  /** The table follows the addresses of the host a moment later. */
  async function shows(wanted: string): Promise<void> {
    for (const until = Date.now() + 20_000; ;) {
      const { route, health } = expect(await panel.operator.get<RouteAnswer>(rule), 200)
      assert.equal(route.nat_mode_id, 10)
      if (health.carried_out_as === wanted) return
      if (Date.now() > until) assert.equal(health.carried_out_as, wanted)
    }
  }
  /** The source of a new connection, as the far end says. */
  const seen = async (): Promise<string> =>
    (
      await lab.run('ip', [
        'netns',
        'exec',
        'client',
        'socat',
        '-u',
        `TCP:${RELAY}:${PORT},connect-timeout=5,retry=3`,
        '-',
      ])
    ).trim()

  it('is SNAT to the address of the tunnel, which packets arrive with', async () => {
    await shows(`snat ${FIRST}`)
    assert.equal(await seen(), FIRST)
  })

  it('is SNAT to the next address of the tunnel once the first is taken away', async () => {
    const done = await panel.operator.delete(`${tunnel}/addresses`, { address: FIRST, prefix_length: 24 })
    assert.equal(done.status, 200, done.text)
    await shows(`snat ${SECOND}`)
    assert.equal(await seen(), SECOND)
  })

  it('is still so after the tunnel was restarted', async () => {
    assert.equal((await panel.operator.post(`${tunnel}/restart`)).status, 200)
    await shows(`snat ${SECOND}`)
    assert.equal(await seen(), SECOND)
  })

  it('is masquerade once a host route leads past the tunnel, and SNAT again without it', async () => {
    await batch([], [`route add ${DESTINATION}/32 via ${FAR_END} dev to-far`])
    await shows('masquerade')
    assert.equal(await seen(), NEAR_END)
    await batch([], [`route del ${DESTINATION}/32`])
    await shows(`snat ${SECOND}`)
    assert.equal(await seen(), SECOND)
  })
})
