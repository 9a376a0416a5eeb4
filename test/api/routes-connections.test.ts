// Who uses a rule, from connection tracking, and the ending of connections on request (interface.md, GET /routes/{id}/connections; decisions.md, F1, F18, F22).
import assert from 'node:assert/strict'
import type { ConnectionsAnswer } from '@panel/shared/api/connections.ts'
import type { RelayConnection } from '@panel/shared/model/connection.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { actOnRoute, deleteRoute, getRoute, madeRoute, patchRoute, removeDestination } from './support/routes.ts'

const connection = (fields: Partial<RelayConnection> = {}): RelayConnection => ({
  route_rule_id: 1, protocol: 'tcp', source_address: '203.0.113.5', source_port: 40000, bind_address: '192.0.2.1', bind_port: 443, destination_address: '10.9.0.2', destination_port: 8443,
  state: 'ESTABLISHED', age_seconds: 12, timeout_seconds: 300, tx_bytes: 10, tx_packets: 1, rx_bytes: 20, rx_packets: 2, mark: 0x5000_0100, ...fields,
})

describe('The connections of a rule', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await madeRoute(client)
    await madeRoute(client, { bind_port: 444 })
    panel.kernel.connections.open = [connection(), connection({ source_port: 40001 }), connection({ source_address: '203.0.113.6', destination_address: '10.9.0.3' }), connection({ route_rule_id: 2 })]
  })
  afterEach(() => panel.close())
  const connections = async (query = ''): Promise<ConnectionsAnswer> => (await client.get<ConnectionsAnswer>(`/routes/1/connections${query}`)).body

  it('tell source, state, age and bytes, how many there are, and by which source', async () => {
    panel.kernel.forwarding.conntrack = { count: 4, max: 100, is_accounting: true, is_timestamping: true }
    const { total, available, bytes_counted, by_source, connections: list } = await connections()
    const { route_rule_id: _rule, ...first } = connection()
    assert.deepEqual([total, available, bytes_counted, by_source, list[0]], [3, true, true, { '203.0.113.5': 2, '203.0.113.6': 1 }, first])
    assert.deepEqual([(await connections('?limit=1')).connections.length, (await connections('?limit=1')).total], [1, 3])
    assert.equal((await client.get('/routes/9/connections')).status, 404)
  })

  it('that the kernel counts no bytes for are said so', async () => {
    const { bytes_counted, detail } = await connections()
    assert.equal(bytes_counted, false)
    assert.match(detail, /nf_conntrack_acct/)
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
    assert.deepEqual([(await getRoute(client, 1)).body.active_connections, (await getRoute(client, 2)).body.active_connections], [3, 1])
    panel.kernel.connections.unreadable = 'gone'
    await panel.traffic.count()
    assert.equal((await getRoute(client, 1)).body.active_connections, null)
  })

  it('live on through a change unless drop_connections is asked for', async () => {
    assert.equal((await patchRoute(client, 1, { destination_port: 1 })).body.connections_dropped, null)
    assert.equal((await actOnRoute(client, 1, 'disable')).body.connections_dropped, null)
    assert.equal(panel.kernel.connections.open.length, 4)
  })

  it('of an old target are dropped on request by a change, and told; those that still have theirs stay', async () => {
    assert.equal((await patchRoute(client, 1, { description: 'x', drop_connections: true })).body.connections_dropped, 0)
    assert.equal((await patchRoute(client, 1, { destinations: [{ address: '10.9.0.2', port: 8443 }, { address: '10.9.0.3', port: 8443 }], drop_connections: true })).body.connections_dropped, 0)
    assert.equal((await removeDestination(client, 1, { address: '10.9.0.3', port: 8443, drop_connections: true })).body.connections_dropped, 1)
    assert.equal((await patchRoute(client, 1, { destination_port: 9, drop_connections: true })).body.connections_dropped, 2)
    assert.deepEqual(panel.kernel.connections.open.map(({ route_rule_id }) => route_rule_id), [2])
  })

  it('of a rule that is disabled or deleted are dropped on request', async () => {
    assert.equal((await actOnRoute(client, 1, 'disable', { drop_connections: true })).body.connections_dropped, 3)
    assert.equal((await deleteRoute(client, 2, { drop_connections: true })).body.connections_dropped, 1)
    assert.deepEqual(panel.kernel.connections.open, [])
  })
})
