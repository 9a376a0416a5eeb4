// How masquerade is carried out, as the panel shows it beside the source that a server sees, on a real kernel. A veth
// link stands for a tunnel here: real ones are in test/vm/carried-out.ts.
import assert from 'node:assert/strict'
import type { ChangeRouteAnswer, RouteAnswer } from '@panel/shared/api/routes/answers.ts'
import { eventually } from '../support/eventually.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RELAY_FAR, RELAY_TOO, RelayRig, SERVERS } from './relay-rig.ts'

const [ONE, TWO] = SERVERS
const [OTHER_NEAR, OTHER_FAR] = ['10.8.0.1', '10.8.0.2']
const tcp = (port: number, address = RELAY): Place => ({ protocol: 'tcp', address, port })

describe('How masquerade is carried out, and what servers see', function () {
  const rig = new RelayRig()
  let panel: ReturnType<RelayRig['panel']>
  before(async () => {
    await rig.open()
    rig.relay.batch(
      `link add other0 type veth peer name other0 netns ${rig.servers.child.pid}`,
      `addr add ${OTHER_NEAR}/24 dev other0`,
      'link set other0 up',
    )
    rig.servers.batch(`addr add ${OTHER_FAR}/24 dev other0`, 'link set other0 up')
    panel = rig.panel()
    for (const address of [ONE, TWO]) await rig.servers.calls.listen(tcp(80, address))
    const destinations = [ONE, TWO].map((address) => ({ address, port: 80 }))
    const rules = [
      { bind_port: 1001, destinations: destinations.slice(0, 1) },
      { bind_port: 1002, destinations, load_balance_mode_id: 20 },
    ]
    for (const rule of rules) await api<ChangeRouteAnswer>('POST', '/routes', { bind_address: RELAY, ...rule })
  })
  after(() => rig.close())

  async function api<B>(method: string, path: string, body?: unknown): Promise<B> {
    const reply = await panel.request(method, path, body)
    assert.ok([200, 201].includes(reply.status), `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body as B
  }
  const shown = async (id: number): Promise<(string | null)[]> => {
    const { health } = await api<RouteAnswer>('GET', `/routes/${id}`)
    return [health.carried_out_as, ...health.destinations.map(({ carried_out_as }) => carried_out_as)]
  }
  /** The source of a new connection, by the server that it came to. */
  async function seen(port: number): Promise<Record<string, string>> {
    const found: Record<string, string> = {}
    for (let n = 0; n < 2; n += 1) {
      const talk = await rig.client.calls.talk(tcp(port))
      found[talk?.server.split(' ')[0] ?? 'nobody'] = talk?.seen.split(' ')[0] ?? ''
    }
    return found
  }

  /** The helper goes over what it has not put there itself whenever a link has changed, which it may learn late. */
  const plant = (): Promise<void> =>
    eventually(async () => {
      if ((await shown(1))[0] === `snat ${RELAY_TOO}`) return true
      rig.relay.nft(`add element inet panel relay_source4 { "far0" : ${RELAY_TOO} }`)
      return false
    }, 'the source is in the table')

  it('is masquerade as long as the table has no source for the interface', async () => {
    assert.deepEqual([await shown(1), await seen(1001)], [['masquerade', 'masquerade'], { [ONE]: RELAY_FAR }])
  })

  it('is SNAT to the source that the table has for it, from then on', async () => {
    await plant()
    const snat = `snat ${RELAY_TOO}`
    assert.deepEqual([await shown(1), await seen(1001)], [[snat, snat], { [ONE]: RELAY_TOO }])
    assert.deepEqual([await shown(2), await seen(1002)], [[snat, snat, snat], { [ONE]: RELAY_TOO, [TWO]: RELAY_TOO }])
  })

  it('is masquerade for the destination that a host route leads past it, and SNAT again without that route', async () => {
    await plant()
    const snat = `snat ${RELAY_TOO}`
    rig.relay.batch(`route add ${ONE}/32 via ${OTHER_FAR} dev other0`)
    assert.deepEqual([await shown(1), await seen(1001)], [['masquerade', 'masquerade'], { [ONE]: OTHER_NEAR }])
    assert.deepEqual(
      [await shown(2), await seen(1002)],
      [[null, 'masquerade', snat], { [ONE]: OTHER_NEAR, [TWO]: RELAY_TOO }],
    )
    rig.relay.batch(`route del ${ONE}/32`)
    assert.deepEqual([await shown(1), await seen(1001)], [[snat, snat], { [ONE]: RELAY_TOO }])
  })

  it('is not known where a route has several next hops', async () => {
    rig.relay.batch(`route add ${ONE}/32 nexthop via ${OTHER_FAR} dev other0 nexthop via ${TWO} dev far0`)
    assert.deepEqual(await shown(1), [null, null])
    rig.relay.batch(`route del ${ONE}/32`)
  })
})
