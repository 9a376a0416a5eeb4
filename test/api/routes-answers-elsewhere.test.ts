// A rule that leaves clients their own addresses, over a tunnel whose far end answers the monitor and sends nothing back
// to the clients (reference.md, Forwarding rules).
import assert from 'node:assert/strict'
import type { RouteHealthView } from '@panel/shared/api/routes/answers.ts'
import { startWatching, type WatchingPanel } from './support/monitor.ts'
import { createRoute, getRoute } from './support/routes.ts'
import { fakeRoute } from '../support/fake-routes.ts'

const [MASQUERADE, NO_NAT, UDP] = [10, 30, 20]
const SERVICE = '10.9.0.2'

describe('A rule that leaves clients their own addresses', () => {
  let panel: WatchingPanel
  beforeEach(async () => {
    panel = await startWatching()
  })
  afterEach(() => panel.close())

  const tunnel = (more: object = {}): Promise<{ tunnel_id: number; name: string }> =>
    panel.up({ addresses: [{ address: '10.9.0.1', prefix_length: 30 }], ...more })
  const rule = async (fields: object): Promise<number> => {
    const { body } = await createRoute(panel.operator, { destination_address: SERVICE, nat_mode_id: NO_NAT, ...fields })
    return body.route.route_rule_id
  }
  const unanswered = async (id: number): Promise<RouteHealthView> => {
    for (const tx_packets of [0, 2, 2]) {
      panel.host.rulesets.relay(id, { tx_packets, rx_packets: 0, tx_bytes: tx_packets * 100, rx_bytes: 0 })
      panel.clock.advance(5)
      await panel.traffic.sample()
    }
    return (await getRoute(panel.operator, id)).body.health
  }
  const found = ({ causes }: RouteHealthView) => causes.map(({ code, hop, effect }) => [code, hop, effect])

  it('shows that the answers take another way, with the switch and the lines that mend it at the far end', async () => {
    const { tunnel_id, name } = await tunnel()
    await panel.until(tunnel_id, 'Up')
    const health = await unanswered(await rule({}))
    assert.deepEqual(found(health), [['ANSWERS_TAKE_ANOTHER_WAY', 'far_end', 'stops']])
    const [{ detail, remedies } = assert.fail()] = health.causes
    assert.match(detail, new RegExp(`went over ${name}, whose far end answers this server, and none came back`))
    assert.deepEqual(
      remedies.map(({ text_message, commands }) => [text_message.message_id, commands.length]),
      [
        ['far_end.switch', 0],
        ['far_end.by_hand', 0],
        ['far_end.line', 1],
        ['far_end.line', 1],
        ['far_end.line', 1],
      ],
    )
    const [route, lookup, marks] = remedies.flatMap(({ commands }) => commands)
    assert.equal(route, 'ip route replace default via 10.9.0.1 table 1409286145')
    assert.equal(lookup, 'ip rule add fwmark 0x54000001/0xff00ffff lookup 1409286145')
    assert.match(marks ?? '', /^nft '.* ct original ip daddr \{ 10\.9\.0\.2 \} meta mark set 0x54000001;.*'$/)
  })

  it('shows it over IPv6, with the inner address of that family', async () => {
    const { tunnel_id } = await tunnel({
      addresses: [
        { address: '10.9.0.1', prefix_length: 30 },
        { address: 'fd09::1', prefix_length: 126, peer_address: 'fd09::2' },
      ],
    })
    await panel.until(tunnel_id, 'Up')
    const id = await rule({ bind_address: '::', destination_address: 'fd09::2' })
    const [{ remedies } = assert.fail()] = (await unanswered(id)).causes
    assert.match(
      remedies.flatMap(({ commands }) => commands).join('\n'),
      /^ip -6 route replace default via fd09::1 .*\nip -6 rule add .*\nnft '.* ct original ip6 daddr \{ fd09::2 \} /,
    )
  })

  it('has no line to run where the tunnel has no inner address of its family', async () => {
    const { tunnel_id, name } = await tunnel()
    await panel.until(tunnel_id, 'Up')
    panel.host.hostRoutes.push(fakeRoute('fd77::/64', name))
    const id = await rule({ bind_address: '::', destination_address: 'fd77::2', tunnel_id })
    const [{ code, remedies } = assert.fail()] = (await unanswered(id)).causes
    assert.equal(code, 'ANSWERS_TAKE_ANOTHER_WAY')
    assert.deepEqual(
      remedies.map(({ text_message }) => text_message.message_id),
      ['far_end.switch'],
    )
  })

  it('may be meant for one direction alone where it is UDP', async () => {
    const { tunnel_id } = await tunnel()
    await panel.until(tunnel_id, 'Up')
    assert.deepEqual(found(await unanswered(await rule({ route_protocol_id: UDP }))), [
      ['ANSWERS_TAKE_ANOTHER_WAY', 'far_end', 'may_stop'],
    ])
  })

  it('has no such cause where it masquerades, goes over no tunnel, or nobody knows whether the far end answers', async () => {
    const { tunnel_id } = await tunnel()
    await panel.until(tunnel_id, 'Up')
    const silent = await panel.probed({ addresses: [{ address: '10.9.1.1', prefix_length: 30 }] })
    await panel.until(silent.tunnel_id, 'Unknown')
    for (const [at, fields] of [
      { nat_mode_id: MASQUERADE },
      { destination_address: '203.0.113.77' },
      { destination_address: '10.9.1.2' },
    ].entries()) {
      const codes = found(await unanswered(await rule({ bind_port: 7000 + at, ...fields })))
      assert.deepEqual(codes, [['NO_REPLIES', 'destination', 'stops']], JSON.stringify(fields))
    }
  })
})
