// Pairing on two real servers: B is set up from A's code alone, and packets of both families cross each tunnel in both
// directions.
import assert from 'node:assert/strict'
import type { FromPairingCodeAnswer, PairingCodeAnswer } from '@panel/shared/api/tunnels/pairing.ts'
import type { ChangePoolAnswer } from '@panel/shared/api/pools.ts'
import type { CreateTunnelAnswer, TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { startLab, type Lab } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { expect, Panel } from './panel/panel.ts'
import { settled } from './panel/settled.ts'

describe('Two servers that share nothing but pairing codes', function () {
  let lab: Lab
  let a: Panel
  let b: Panel

  before(async () => {
    lab = await startLab()
    const servers = await lab.twoServers()
    await putPanel(lab)
    ;[a, b] = await Promise.all([new Panel(servers.a).start(), new Panel(servers.b).start()])
    await Promise.all([a.setUp(), b.setUp()])
    // So that an id of one panel is another pool, or none, on the other.
    await addPool(b, 'Of B alone', '10.66.0.0/16', 30)
  })
  after(() => lab?.stop())

  const addPool = async (
    panel: Panel,
    address_pool_title: string,
    cidr: string,
    prefix_length: number,
  ): Promise<number> =>
    expect(await panel.operator.post<ChangePoolAnswer>('/pools', { address_pool_title, cidr, prefix_length }), 201)
      .address_pool_id

  const overIpv4 = () => ({ local_endpoint: a.server.address, remote_endpoint: b.server.address })
  const overIpv6 = () => ({ local_endpoint: a.server.address6, remote_endpoint: b.server.address6 })
  const make = async (panel: Panel, body: object): Promise<TunnelView> => {
    const { tunnel, verification } = expect(await panel.operator.post<CreateTunnelAnswer>('/tunnels', body), 201)
    assert.equal(verification.ok, true)
    return tunnel
  }

  /** Makes a tunnel on A, and on B what A's code says. */
  const pair = async (body: object): Promise<{ onA: TunnelView; onB: TunnelView; warnings: string[] }> => {
    const onA = await make(a, body)
    const { pairing_code } = expect(
      await a.operator.get<PairingCodeAnswer>(`/tunnels/${onA.tunnel_id}/pairing-code`),
      200,
    )
    const { tunnel, warnings } = expect(
      await b.operator.post<FromPairingCodeAnswer>('/tunnels/from-pairing-code', { pairing_code }),
      200,
    )
    return { onA, onB: await make(b, tunnel), warnings: warnings.map(({ code }) => code) }
  }

  const pingBothWays = async (onA: TunnelView, onB: TunnelView): Promise<void> => {
    const ping = (from: Panel, { interface_name }: TunnelView, to: string) =>
      from.server.run('ping', ['-c', '2', '-i', '0.2', '-W', '5', '-I', interface_name, to])
    await Promise.all([settled(a.server, onA.interface_name), settled(b.server, onB.interface_name)])
    for (const [at, { address }] of onB.addresses.entries()) {
      await ping(a, onA, address)
      await ping(b, onB, onA.addresses[at]?.address ?? '')
    }
  }

  it('carry packets both ways through a tunnel of a seeded pool, with the keys drawn on A', async () => {
    const { onA, onB, warnings } = await pair(overIpv4())
    assert.deepEqual(
      [onB.interface_name, onB.address_pool_id, onB.ikey, warnings],
      ['gre-b-1', 10, onA.okey, ['ANSWERED_THROUGH']],
    )
    await pingBothWays(onA, onB)
  })

  it('carry IPv6 through a second tunnel between the same endpoints, from an IPv6 pool that B does not have', async () => {
    const address_pool_id = await addPool(a, 'Sixes', 'fd00:77::/64', 126)
    const { onA, onB, warnings } = await pair({ ...overIpv4(), address_pool_id })
    assert.deepEqual([onA.addresses[0]?.address, onB.addresses[0]?.address], ['fd00:77::9', 'fd00:77::a'])
    assert.deepEqual([onB.address_pool_id, warnings], [null, ['POOL_NOT_FOUND', 'ANSWERED_THROUGH']])
    await pingBothWays(onA, onB)
  })

  it('carry both families through one tunnel over IPv6, with every flag, an asymmetric key and A on side B', async () => {
    const addresses = [
      { address: '10.9.0.2', peer_address: '10.9.0.1', prefix_length: 30 },
      { address: 'fd00:9::2', peer_address: 'fd00:9::1', prefix_length: 126 },
    ]
    const flags = {
      has_input_checksum: true,
      has_output_checksum: false,
      has_input_sequence: false,
      has_output_sequence: true,
    }
    const { onA, onB } = await pair({
      ...overIpv6(),
      ...flags,
      tunnel_type_id: 30,
      tunnel_side_id: 20,
      ikey: 4711,
      okey: 815,
      hop_limit: 64,
      encap_limit: 4,
      addresses,
    })
    assert.deepEqual(
      [onB.tunnel_side_id, onB.ikey, onB.okey, onB.has_output_checksum, onB.has_input_sequence],
      [10, 815, 4711, true, true],
    )
    await pingBothWays(onA, onB)
  })

  it('carry Ethernet kinds as well, where A does not say which address B has', async () => {
    const { onA, onB, warnings } = await pair({
      ...overIpv4(),
      tunnel_type_id: 20,
      addresses: [
        { address: '10.8.0.1', prefix_length: 24 },
        { address: 'fd00:8::1', prefix_length: 64 },
      ],
    })
    assert.deepEqual(
      [onB.addresses.map(({ address }) => address), warnings],
      [
        ['10.8.0.2', 'fd00:8::2'],
        ['PEER_ADDRESS_CHOSEN', 'PEER_ADDRESS_CHOSEN', 'ANSWERED_THROUGH'],
      ],
    )
    await pingBothWays(onA, onB)
  })
})
