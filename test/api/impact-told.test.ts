// What an impact tells of connections, routes and the operator's own access, what it does not know, and which requests
// cannot be foreseen (reference.md, Impact).
import assert from 'node:assert/strict'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { fakeRoute, routeThrough } from '../support/fake-routes.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client, Reply } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { createRoute, previewRoute, SMALLEST_RULE } from './support/routes.ts'
import { codesOf, createTunnel, previewTunnel } from './support/tunnels.ts'
import { fakeConnection } from '../support/fake-ruleset.ts'

const OWN = [{ address: '10.9.0.1', prefix_length: 24 }]

describe('An impact', () => {
  let panel: TestPanel
  let host: FakeKernel
  let client: Client
  /** Methods that root does not answer. */
  let deaf: readonly string[]

  beforeEach(async () => {
    host = new FakeKernel()
    deaf = []
    const through = requestThrough(inProcessHelper(host).request)
    const request: Writer = async (method, params) => {
      if (deaf.includes(method)) throw new Refusal('HELPER_UNAVAILABLE', verbatim('The root helper is away'))
      return through(method, params)
    }
    panel = await startPanel({ request })
    client = await panel.setUp()
    await createTunnel(client, { addresses: OWN })
    await createRoute(client)
    host.hostRoutes.push(fakeRoute('10.9.0.0/24', 'gre-a-1'))
    for (const port of [1, 2, 3]) host.connections.open.push(fakeConnection({ source_port: port }))
  })
  afterEach(() => panel.close())

  const foresee = (method: string, path: string, body: object = {}, more: object = {}): Promise<Reply<ImpactAnswer>> =>
    client.post('/impact', { method, path, body, ...more })
  const impactOf = async (...requests: Parameters<typeof foresee>): Promise<ImpactAnswer['impact']> => {
    const { status, text, body } = await foresee(...requests)
    assert.equal(status, 200, text)
    return body.impact
  }

  it('of a tunnel that is deleted ends the connections of the rules over it, by the way of their destinations', async () => {
    const { interruption, connections, rules, tunnels, addresses } = await impactOf('DELETE', '/tunnels/1')
    const { total, end, is_known } = connections
    assert.deepEqual(
      { interruption, total, end, is_known },
      { interruption: 'lasting', total: 3, end: 3, is_known: true },
    )
    assert.deepEqual(
      rules.map(({ route_rule_id, why, fate, connections: many }) => ({ route_rule_id, why, fate, many })),
      [{ route_rule_id: 1, why: 'relays_over', fate: 'end', many: 3 }],
    )
    assert.deepEqual([tunnels[0]?.fate, addresses.go], ['end', ['10.9.0.1/24']])
  })

  it('counts as the last count had it, and by their sources only where that is wanted', async () => {
    await panel.traffic.count()
    host.connections.open.pop()
    host.connections.open.push(fakeConnection({ route_rule_id: 99, source_address: '203.0.113.99' }))
    const counted = (await impactOf('POST', '/routes/1/disable')).connections
    assert.deepEqual([counted.total, counted.survive, counted.top_sources], [3, 3, null])
    const looked = (await impactOf('POST', '/routes/1/disable', {}, { with_sources: true })).connections
    assert.deepEqual([looked.total, looked.top_sources], [3, [{ source_address: '203.0.113.5', connections: 2 }]])
    assert.equal((await impactOf('POST', '/routes/1/disable', { drop_connections: true })).connections.end, 3)
  })

  it('of a request to drop connections counts those that lead to no present destination, whichever change left it', async () => {
    const foreseen = async (body: object): Promise<(number | null)[]> => {
      const { connections, rules } = await impactOf('PATCH', '/routes/1', { ...body, drop_connections: true })
      return [connections.end, connections.survive, rules.length]
    }
    assert.deepEqual(await foreseen({ destination_port: 9 }), [3, 0, 1])
    host.connections.open.push(fakeConnection({ destination_address: '10.9.0.7' }))
    assert.deepEqual(await foreseen({ bind_port: 1009 }), [1, 3, 1])
    assert.deepEqual(await foreseen({ description: 'of the store alone' }), [1, 3, 1])
    const { summary } = await impactOf('PATCH', '/routes/1', { description: 'x', drop_connections: true })
    assert.match(summary, /1 open connection ends/)
    assert.doesNotMatch(summary, /No connection is interrupted/)
    await panel.traffic.count()
    assert.deepEqual(await foreseen({ destination_port: 9 }), [4, 0, 1])
  })

  it('of a rule that comes to listen for UDP counts the flows that are older than it, and end', async () => {
    host.connections.olderFlows = [1, 2, 2, 3].map((last) => ({ address: `192.0.2.${last}`, port: 5300 }))
    const body = { ...SMALLEST_RULE, bind_address: '192.0.2.2', bind_port: 5300, route_protocol_id: 20 }
    const { connections, summary } = await impactOf('POST', '/routes', body)
    assert.deepEqual([connections.end, connections.total, connections.is_known], [2, 2, true])
    assert.match(summary, /2 open connections end\. 2 of them are UDP flows older than the rule/)
    assert.equal((await impactOf('POST', '/routes', { ...body, route_protocol_id: 10 })).connections.end, 0)
    assert.equal(host.connections.olderFlows.length, 4)
    assert.equal((await createRoute(client, body)).status, 201)
    assert.equal(host.connections.olderFlows.length, 2)
    assert.equal((await impactOf('POST', '/routes/2/disable')).connections.end, 0)
    deaf = ['connections.older']
    const unknown = (await impactOf('POST', '/routes', { ...body, bind_port: 5301 })).connections
    assert.deepEqual([unknown.is_known, unknown.end], [false, null])
  })

  it('lists the foreign routes that a new link keeps, and those that are lost', async () => {
    const [kept, lost] = [
      routeThrough('10.90.0.0/16'),
      routeThrough('10.91.0.0/16', { unmodelled: ['several next hops'] }),
    ]
    for (const route of [kept, lost]) host.routesOfOthers.add('gre-a-1', route)
    const { routes, summary } = await impactOf('PATCH', '/tunnels/1', { tunnel_type_id: 20, confirm_recreate: true })
    assert.deepEqual(
      routes?.map(({ destination, fate }) => `${destination} ${fate}`),
      ['10.9.0.0/24 comes_back', '10.90.0.0/16 comes_back', '10.91.0.0/16 lost'],
    )
    assert.match(summary, /10\.91\.0\.0\/16/)
  })

  it("says that the operator's own access goes, where the command would be refused for it", async () => {
    host.hostRoutes.push(fakeRoute('127.0.0.0/8', 'gre-a-1'))
    const { is_affected, how, client_ip } = (await impactOf('POST', '/tunnels/1/restart')).own_access
    assert.deepEqual(
      { is_affected, how, client_ip },
      { is_affected: true, how: 'through_tunnel', client_ip: '127.0.0.1' },
    )
    assert.equal((await client.post('/tunnels/1/restart')).error.code, 'WOULD_CUT_OWN_ACCESS')
    assert.equal((await impactOf('PATCH', '/tunnels/1', { mtu: 1000 })).own_access.is_affected, true)
  })

  it('knows how long a change of its kind took, once there was one', async () => {
    const restart = () => impactOf('POST', '/tunnels/1/restart')
    assert.equal((await restart()).interruption_ms, null)
    for (let times = 0; times < 3; times += 1) await client.post('/tunnels/1/restart')
    assert.equal((await restart()).interruption_ms?.of, 3)
    assert.equal((await impactOf('DELETE', '/tunnels/1')).interruption_ms, null)
  })

  it('of several requests is one impact, with each rule once', async () => {
    const also = [{ method: 'POST', path: '/routes/1/disable', body: { drop_connections: true } }]
    const { interruption, connections, rules } = await impactOf('DELETE', '/tunnels/1', {}, { also })
    assert.deepEqual([interruption, connections.total, connections.end], ['lasting', 3, 3])
    assert.deepEqual(
      rules.map(({ route_rule_id, why, fate }) => `${route_rule_id} ${why} ${fate}`),
      ['1 changed end'],
    )
    const wrong = await foresee('DELETE', '/tunnels/1', {}, { also: [...also, { method: 'GET', path: '/routes' }] })
    assert.deepEqual([wrong.status, Object.keys(codesOf(wrong))], [422, ['also.1.method']])
    const unknown = await foresee('DELETE', '/tunnels/1', {}, { also: [{ method: 'DELETE', path: '/nothing' }] })
    assert.equal(unknown.status, 404)
  })

  it('is part of the previews too', async () => {
    const tunnel = await previewTunnel(client, { remote_endpoint: '198.51.100.9' })
    assert.equal(tunnel.body.impact.interruption, 'none')
    const rule = await previewRoute(client, { route_rule_id: 1, destination_port: 9000 })
    assert.deepEqual([rule.body.impact.interruption, rule.body.impact.connections.survive], ['new_only', 3])
  })

  it('of what does not touch the host is none, and is not audited', async () => {
    const audit = async (): Promise<unknown> => (await client.get<{ total: number }>('/audit')).body.total
    const before = await audit()
    for (const requests of [
      ['PUT', '/settings', { 'system.auto_reapply_on_drift': true }],
      ['PATCH', '/tunnels/1', { note: 'another' }],
      ['POST', '/routes/1/duplicate', {}],
      ['POST', '/routes/preview', SMALLEST_RULE],
    ] as const) {
      const { status, body, text } = await foresee(requests[0], requests[1], requests[2])
      assert.equal(status, 200, text)
      assert.deepEqual([body.plan.steps, body.impact.interruption], [[], 'none'])
    }
    assert.equal(await audit(), before)
  })

  it('is refused with what is wrong with the request that is foreseen', async () => {
    const patched = await foresee('PATCH', '/tunnels/1', { mtu: 'big', nonsense: 1 })
    const sent = await client.patch('/tunnels/1', { mtu: 'big', nonsense: 1 })
    assert.deepEqual([patched.status, patched.error], [422, sent.error])
    assert.deepEqual((await foresee('POST', '/routes', { ...SMALLEST_RULE })).error, (await createRoute(client)).error)
    assert.equal((await foresee('DELETE', '/tunnels/99')).status, 404)
  })

  it('is refused for what is no request of the panel', async () => {
    for (const path of ['/nothing', '/tunnels/x', 'tunnels/1', '/tunnels/1/', '', '/../etc/passwd', '/tunnels/1?x=1'])
      assert.deepEqual([path, (await foresee('DELETE', path)).status], [path, 404])
    const wrong = [
      ['GET', '/tunnels', 'method'],
      ['PUT', '/tunnels/1', 'method'],
      ['TRACE', '/tunnels/1', 'method'],
      ['POST', 'x'.repeat(201), 'path'],
    ] as const
    for (const [method, path, field] of wrong) {
      const reply = await foresee(method, path)
      assert.deepEqual([method, reply.status, Object.keys(codesOf(reply))], [method, 422, [field]])
    }
    assert.deepEqual(codesOf(await client.post('/impact', { method: 'POST', path: '/tunnels', body: [1] })), {
      body: 'INVALID_VALUE',
    })
    assert.equal((await foresee('DELETE', '/api/v1/tunnels/1')).status, 200)
    assert.equal((await panel.visitor().post('/impact', { method: 'DELETE', path: '/tunnels/1' })).status, 403)
  })
})
