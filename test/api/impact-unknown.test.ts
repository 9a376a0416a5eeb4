// What cannot be found out is stated as unknown in an impact, with the reason, whichever source it is that fails
// (reference.md, Impact; decisions.md, I3).
import assert from 'node:assert/strict'
import { parseIp } from '@panel/shared/address/ip.ts'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { fakeRoute, routeThrough } from '../support/fake-routes.ts'
import { fakeConnection } from '../support/fake-ruleset.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client, Reply } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { createRoute } from './support/routes.ts'
import { createTunnel } from './support/tunnels.ts'

type Impact = ImpactAnswer['impact']

describe('An impact says that it is not known', () => {
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
    await createTunnel(client, { addresses: [{ address: '10.9.0.1', prefix_length: 24 }] })
    await createRoute(client)
    host.hostRoutes.push(fakeRoute('10.9.0.0/24', 'gre-a-1'))
    for (const port of [1, 2, 3]) host.connections.open.push(fakeConnection({ source_port: port }))
    const [behind, elsewhere] = ['10.9.0.7', '203.0.113.9'].map((text) => parseIp(text))
    assert(behind && elsewhere)
    host.connections.others.push([elsewhere, behind], [elsewhere, elsewhere])
  })
  afterEach(() => panel.close())

  const ask = (with_sources = false): Promise<Reply<ImpactAnswer>> =>
    client.post('/impact', { method: 'DELETE', path: '/tunnels/1', body: {}, with_sources })
  const impact = async (with_sources = false): Promise<Impact> => {
    const { status, text, body } = await ask(with_sources)
    assert.equal(status, 200, text)
    return body.impact
  }
  const others = async (): Promise<[boolean | undefined, number | null | undefined, string | undefined]> => {
    const found = (await impact(true)).connections.others
    return [found?.is_known, found?.total, found?.detail]
  }

  it('how many connections end, where connection tracking cannot be read, and never 0', async () => {
    host.connections.unreadable = 'Operation not permitted'
    const { connections, rules, summary } = await impact(true)
    const { is_known, total, survive, at_risk, end, top_sources, detail } = connections
    assert.deepEqual([is_known, total, survive, at_risk, end, top_sources], [false, null, null, null, null, null])
    assert.match(detail, /Operation not permitted/)
    assert.match(summary, /unknown: Operation not permitted/)
    assert.equal(rules[0]?.connections, null)
  })

  it('how many connections end, where root does not answer for them', async () => {
    deaf = ['ruleset.connections']
    const { connections } = await impact(true)
    assert.deepEqual([connections.is_known, connections.end, connections.top_sources], [false, null, null])
  })

  it('which rules lead over the tunnel, where root does not answer for the routing table', async () => {
    deaf = ['route.lookup']
    const { connections, own_access } = await impact()
    assert.deepEqual([connections.is_known, connections.end, own_access.is_known], [false, null, false])
    assert.match(own_access.detail, /not known/)
  })

  it('which foreign routes go, if root does not answer for them', async () => {
    deaf = ['route.through']
    const { routes, summary } = await impact()
    assert.equal(routes, null)
    assert.match(summary, /Which routes of other software that removes is unknown/)
    assert.deepEqual((await others()).slice(0, 2), [false, null])
  })

  it('how many foreign connections go through the tunnel, unless they were counted', async () => {
    assert.equal((await impact()).connections.others, null)
    assert.deepEqual((await others()).slice(0, 2), [true, 1])
    deaf = ['connections.through']
    assert.deepEqual((await others()).slice(0, 2), [false, null])
    deaf = []
    host.connections.unreadable = 'Operation not permitted'
    assert.deepEqual(await others(), [false, null, 'Operation not permitted'])
  })

  it('how many foreign connections go through the tunnel, if there are too many to look at', async () => {
    host.forwarding.conntrack = { count: 500_001, max: 1_000_000 }
    const [is_known, total, detail] = await others()
    assert.deepEqual([is_known, total], [false, null])
    assert.match(detail ?? '', /^This server tracks 500001 connections/)
    host.forwarding.conntrack = { count: 500_000, max: 1_000_000 }
    assert.deepEqual((await others()).slice(0, 2), [true, 1])
  })

  it('how many foreign connections go through the tunnel, if the kernel does not list them in time', async () => {
    host.connections.through = () => Promise.reject(new KernelError('ETIMEDOUT', 'no answer within 2000 ms'))
    assert.deepEqual(await others(), [false, null, 'Not all connections could be listed in time'])
    assert.equal((await impact(true)).connections.is_known, true, 'those of the rules are known all the same')
  })

  it('how many foreign connections go through the tunnel, if too many networks lie behind it', async () => {
    const networks = Array.from({ length: 300 }, (_, at) => `10.${100 + (at >> 8)}.${at & 255}.0/24`)
    for (const network of networks) host.routesOfOthers.add('gre-a-1', routeThrough(network))
    assert.deepEqual((await others()).slice(0, 2), [false, null])
  })

  it('what is concerned at all, where the command could not begin either, and answers as that does', async () => {
    deaf = ['tunnel.probe']
    const { status, error } = await ask()
    assert.deepEqual([status, error.code], [503, 'HELPER_UNAVAILABLE'])
  })
})
