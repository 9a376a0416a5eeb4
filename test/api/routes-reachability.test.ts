// Whether a destination can be reached, before and after a rule exists (reference.md, Reachability result;
// decisions.md, F21).
import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { createServer, type Server } from 'node:net'
import type { Reachability, RouteReachability } from '@panel/shared/api/routes/reachability.ts'
import type { Client, Reply } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { madeRoute } from './support/routes.ts'

describe('The reachability test', () => {
  let panel: TestPanel
  let client: Client
  let server: Server
  let socket: Socket
  let [tcp, udp] = [0, 0]
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    tcp = (server.address() as { port: number }).port
    socket = createSocket('udp4')
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
    udp = socket.address().port
  })
  afterEach(async () => {
    socket.close()
    server.close()
    await panel.close()
  })
  const test = (body: object): Promise<Reply<Reachability>> =>
    client.post('/routes/diagnostics/test', { address: '127.0.0.1', timeout_seconds: 0.3, ...body })

  it('finds a TCP port that is listened on, before any rule exists', async () => {
    const { status, body } = await test({ port: tcp, protocol: 'tcp' })
    const { latency_ms, checked_at, detail, detail_message: _told, ...reported } = body
    assert.deepEqual(
      [status, reported],
      [200, { address: '127.0.0.1', port: tcp, protocol: 'tcp', reachable: true, conclusive: true, error: '' }],
    )
    assert((latency_ms ?? -1) >= 0 && !Number.isNaN(Date.parse(checked_at)) && detail !== '')
    assert.equal((await test({ port: tcp })).body.protocol, 'tcp')
  })

  it('finds a TCP port on which nothing listens, conclusively', async () => {
    server.close()
    const { reachable, conclusive, error, detail } = (await test({ port: tcp })).body
    assert.deepEqual([reachable, conclusive, error], [false, true, 'ECONNREFUSED'])
    assert.match(detail, /nothing listens/)
  })

  it('takes silence over UDP as proving nothing, not as unreachable', async () => {
    const { reachable, conclusive, detail } = (await test({ port: udp, protocol: 'udp' })).body
    assert.deepEqual([reachable, conclusive], [null, false])
    assert.match(detail, /proves nothing/)
  })

  it('says that nothing could be sent where this server itself will not, and lives on', async () => {
    for (const protocol of ['tcp', 'udp']) {
      const { status, body } = await test({ address: '198.51.100.1', port: 9, protocol, source_address: '127.0.0.1' })
      assert.deepEqual([status, body.reachable, body.conclusive, body.error], [200, null, false, 'EINVAL'], protocol)
      assert.match(body.detail, /Nothing could be sent from this server/)
    }
  })

  it('takes an answer over UDP, and a refusal, as what they are', async () => {
    socket.on('message', (_bytes, { port, address }) => socket.send('yes', port, address))
    const answered = (await test({ port: udp, protocol: 'udp' })).body
    assert.deepEqual([answered.reachable, answered.conclusive], [true, true])
    const free = createSocket('udp4')
    await new Promise<void>((resolve) => free.bind(0, '127.0.0.1', resolve))
    const { port } = free.address()
    await new Promise<void>((resolve) => free.close(resolve))
    const refused = (await test({ port, protocol: 'udp' })).body
    assert.deepEqual([refused.reachable, refused.conclusive, refused.error], [false, true, 'ECONNREFUSED'])
  })

  it('from an address that this server does not have states that, and nothing about the far end', async () => {
    const { reachable, conclusive, detail } = (await test({ port: tcp, source_address: '203.0.113.77' })).body
    assert.deepEqual([reachable, conclusive], [null, false])
    assert.match(detail, /source address/)
  })

  it('refuses what is no host or port', async () => {
    for (const [body, field] of [
      [{ address: 'x', port: 1 }, 'address'],
      [{ address: '224.0.0.1', port: 1 }, 'address'],
      [{ port: 0 }, 'port'],
      [{ port: 1, protocol: 'icmp' }, 'protocol'],
      [{ port: 1, source_address: 'y' }, 'source_address'],
      [{ port: 1, source_address: '2001:db8::1' }, 'source_address'],
      [{ port: 1, timeout_seconds: 31 }, 'timeout_seconds'],
    ] as const) {
      const { status, error } = await test(body)
      assert.deepEqual([status, error.field], [422, field])
    }
  })

  it('of a rule looks at every destination, and puts first what cannot be reached', async () => {
    await madeRoute(client, {
      force: true,
      route_protocol_id: 30,
      destination_address: undefined,
      destination_port: undefined,
      destinations: [
        { address: '127.0.0.1', port: tcp },
        { address: '127.0.0.1', port: 1 },
        { address: '127.0.0.1', port: 2, is_enabled: false },
      ],
    })
    const { status, body } = await client.post<RouteReachability>('/routes/1/diagnostics/test', {
      timeout_seconds: 0.3,
    })
    assert.deepEqual(
      [status, body.route_rule_id, body.results.map(({ port, protocol }) => [port, protocol])],
      [
        200,
        1,
        [
          [tcp, 'tcp'],
          [tcp, 'udp'],
          [1, 'tcp'],
          [1, 'udp'],
        ],
      ],
    )
    assert.deepEqual([body.reachable, body.conclusive], [false, true])
    assert.equal((await client.post('/routes/9/diagnostics/test')).status, 404)
  })

  it('runs four at once and refuses more: 429 with Retry-After', async () => {
    const replies = await Promise.all(Array.from({ length: 6 }, () => test({ port: udp, protocol: 'udp' })))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 200, 200, 200, 429, 429])
    assert.equal(replies.find(({ status }) => status === 429)?.headers['retry-after'], '1')
    assert.equal((await test({ port: tcp })).status, 200)
  })

  it('changes nothing and is not audited', async () => {
    await test({ port: tcp })
    const { entries } = (await client.get<{ entries: { action: string }[] }>('/audit')).body
    assert.deepEqual([panel.kernel.changes, entries.map(({ action }) => action)], [[], ['Setup']])
  })
})
