// Who uses a rule, from connection tracking, and the ending of connections on request (reference.md, GET
// /routes/{id}/connections; decisions.md, F1, F18, F22).
import assert from 'node:assert/strict'
import type { ConnectionsAnswer } from '@panel/shared/api/routes/connections.ts'
import type { TrafficHistoryAnswer } from '@panel/shared/api/routes/traffic.ts'
import { FlowCounts } from '@panel/root-helper/kernel/conntrack/flow-counts.ts'
import { fakeConnection as connection } from '../support/fake-ruleset.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { actOnRoute, deleteRoute, getRoute, madeRoute, patchRoute, removeDestination } from './support/routes.ts'

describe('The connections of a rule', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await madeRoute(client)
    await madeRoute(client, { bind_port: 444 })
    panel.kernel.connections.open = [
      connection(),
      connection({ source_port: 40001 }),
      connection({ source_address: '203.0.113.6', destination_address: '10.9.0.3' }),
      connection({ route_rule_id: 2 }),
    ]
  })
  afterEach(() => panel.close())
  const connections = async (query = ''): Promise<ConnectionsAnswer> =>
    (await client.get<ConnectionsAnswer>(`/routes/1/connections${query}`)).body

  it('tell source, state, age and bytes, how many there are, and by which source', async () => {
    panel.kernel.forwarding.conntrack = { count: 4, max: 100 }
    Object.assign(panel.kernel.forwarding.live, { conntrack_acct: true, conntrack_timestamp: true })
    const { total, available, bytes_counted, by_source, connections: list } = await connections()
    const { route_rule_id: _rule, ...first } = connection()
    assert.deepEqual(
      [total, available, bytes_counted, by_source, list[0]],
      [3, true, true, { '203.0.113.5': 2, '203.0.113.6': 1 }, first],
    )
    assert.deepEqual(
      [(await connections('?limit=1')).connections.length, (await connections('?limit=1')).total],
      [1, 3],
    )
    assert.equal((await client.get('/routes/9/connections')).status, 404)
  })

  it('that the kernel counts no bytes and keeps no age of are marked so, with what turns it on', async () => {
    const { bytes_counted, detail } = await connections()
    assert.equal(bytes_counted, false)
    assert.match(detail, /nf_conntrack_acct is 0.*age_seconds is null.*nf_conntrack_timestamp is 0.*Turn it on/)
  })

  it('of an unreadable table are reported as such, not as no users', async () => {
    panel.kernel.connections.unreadable = 'Operation not permitted'
    const { available, total, detail } = await connections()
    assert.deepEqual([available, total], [false, null])
    assert.match(detail, /not permitted/)
  })

  it('are counted in the traffic of the rule', async () => {
    assert.equal((await getRoute(client, 1)).body.active_connections, null)
    await panel.traffic.count()
    assert.deepEqual(
      [(await getRoute(client, 1)).body.active_connections, (await getRoute(client, 2)).body.active_connections],
      [3, 1],
    )
    panel.kernel.connections.unreadable = 'gone'
    await panel.traffic.count()
    assert.equal((await getRoute(client, 1)).body.active_connections, null)
  })

  it('that have ended are no connections: neither listed, nor counted, nor ended by a change', async () => {
    const { open } = panel.kernel.connections
    for (const [at, state] of (['LAST_ACK', 'TIME_WAIT', 'CLOSE'] as const).entries())
      open.push(connection({ state, source_port: 50_000 + at, destination_address: '10.9.0.3' }))
    open.push(connection({ state: 'CLOSE_WAIT', source_port: 50_010 }))
    await panel.traffic.count()
    const { total, connections: listed } = await connections()
    assert.deepEqual([total, listed.length, (await getRoute(client, 1)).body.active_connections], [4, 4, 4])
    assert.equal((await patchRoute(client, 1, { drop_connections: true })).body.connections_dropped, 1)
  })

  it('that begin are counted between two looks, by rule, and are null where that is not known', async () => {
    const speed = async (id: number): Promise<number | null> =>
      (await getRoute(client, id)).body.new_connections_per_second
    assert.equal(await speed(1), null)
    await panel.traffic.count()
    assert.equal(await speed(1), null)
    panel.kernel.connections.open.push(connection({ source_port: 40002 }), connection({ source_port: 40003 }))
    panel.clock.advance(5)
    await panel.traffic.count()
    const counted = await speed(1)
    assert(counted !== null && counted > 0.39 && counted <= 0.4, `${counted}`)
    assert.deepEqual([await speed(2), (await connections()).new_per_second], [0, counted])
    panel.kernel.connections.open = []
    panel.clock.advance(5)
    await panel.traffic.count()
    panel.kernel.connections.open = [connection({ route_rule_id: 2, source_port: 40009 })]
    panel.clock.advance(5)
    await panel.traffic.count()
    assert.deepEqual([await speed(1), Math.round(((await speed(2)) ?? 0) * 5)], [0, 1])
    // Another helper knows nothing of what was before it.
    panel.kernel.connections.counts = new FlowCounts()
    await panel.traffic.count()
    assert.equal(await speed(2), null)
    panel.kernel.connections.unreadable = 'gone'
    await panel.traffic.count()
    assert.equal(await speed(2), null)
  })

  it('are in the history of the rule: the most at one look and those that began, null where that is not known', async () => {
    const history = async (): Promise<(number | null)[][]> =>
      (await client.get<TrafficHistoryAnswer>('/routes/1/traffic/history')).body.samples.map((one) => [
        one.active_connections,
        one.new_connections,
        one.tx_packets,
      ])
    const moved = async (): Promise<void> => {
      panel.kernel.rulesets.relay(1, { tx_bytes: 60, tx_packets: 1 })
      await panel.traffic.sample()
    }
    // Far from the end of a minute.
    panel.clock.advance(70 - new Date().getSeconds())
    await moved()
    assert.deepEqual(await history(), [[null, null, 1]])
    await panel.traffic.count()
    panel.clock.advance(60)
    await panel.traffic.count()
    await moved()
    panel.kernel.connections.open.push(connection({ source_port: 40002 }))
    await panel.traffic.save()
    panel.clock.advance(0.01)
    await panel.traffic.count()
    assert.deepEqual((await history()).at(-1), [4, 1, 1])
    await panel.traffic.save()
    assert.deepEqual(await history(), [
      [3, null, 1],
      [4, 1, 1],
    ])
  })

  it('come with a warning where the kernel counts no bytes for them, where it can soon track no more, and where the ports towards a destination run out', async () => {
    const codes = async (): Promise<string[]> => (await connections()).warnings.map(({ code }) => code)
    assert.deepEqual(await codes(), ['CONNTRACK_ACCT_OFF'])
    panel.kernel.forwarding.conntrack = { count: 90, max: 100 }
    Object.assign(panel.kernel.forwarding.live, { conntrack_acct: true, conntrack_timestamp: true })
    assert.deepEqual(await codes(), ['CONNTRACK_NEARLY_FULL'])
    panel.kernel.forwarding.conntrack = { count: 1, max: 100 }
    Object.assign(panel.kernel.forwarding.live, { conntrack_acct: true, conntrack_timestamp: true })
    assert.deepEqual(await codes(), [])
    panel.kernel.connections.open = Array.from({ length: 51_610 }, (_, source_port) => connection({ source_port }))
    assert.deepEqual(await codes(), ['SOURCE_PORTS_NEARLY_USED'])
    await patchRoute(client, 1, { nat_mode_id: 30 })
    assert.deepEqual(await codes(), [])
  })

  it('live on through a change without drop_connections', async () => {
    assert.equal((await patchRoute(client, 1, { destination_port: 1 })).body.connections_dropped, null)
    assert.equal((await actOnRoute(client, 1, 'disable')).body.connections_dropped, null)
    assert.equal(panel.kernel.connections.open.length, 4)
  })

  it('of an old target are dropped on request by a change, and counted; those that still have theirs stay', async () => {
    const elsewhere = panel.kernel.connections.open.filter((one) => one.destination_address === '10.9.0.3')
    assert.equal(
      (await patchRoute(client, 1, { description: 'x', drop_connections: true })).body.connections_dropped,
      1,
      'whenever the rule has left it',
    )
    panel.kernel.connections.open.push(...elsewhere)
    assert.equal(
      (
        await patchRoute(client, 1, {
          destinations: [
            { address: '10.9.0.2', port: 8443 },
            { address: '10.9.0.3', port: 8443 },
          ],
          drop_connections: true,
        })
      ).body.connections_dropped,
      0,
    )
    assert.equal(
      (await removeDestination(client, 1, { address: '10.9.0.3', port: 8443, drop_connections: true })).body
        .connections_dropped,
      1,
    )
    assert.equal(
      (await patchRoute(client, 1, { destination_port: 9, drop_connections: true })).body.connections_dropped,
      2,
    )
    assert.deepEqual(
      panel.kernel.connections.open.map(({ route_rule_id }) => route_rule_id),
      [2],
    )
  })

  it('of a rule that is disabled or deleted are dropped on request', async () => {
    assert.equal((await actOnRoute(client, 1, 'disable', { drop_connections: true })).body.connections_dropped, 3)
    assert.equal((await deleteRoute(client, 2, { drop_connections: true })).body.connections_dropped, 1)
    assert.deepEqual(panel.kernel.connections.open, [])
  })
})
