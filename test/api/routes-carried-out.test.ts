// What becomes of masquerade on the path that a rule's packets take now (decisions.md, F40).
import assert from 'node:assert/strict'
import type { RouteHealthView } from '@panel/shared/api/routes/answers.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { fakeRoute } from '../support/fake-routes.ts'
import { inProcessHelper, type InProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { actOnRoute, getRoute, listRoutes, madeRoute, patchRoute } from './support/routes.ts'
import { createTunnel } from './support/tunnels.ts'

const OVER_TUNNEL = { destination_address: '172.17.1.2', destination_port: 80 }
const several = (...addresses: string[]): object => ({
  destination_address: undefined,
  destination_port: undefined,
  destinations: addresses.map((address) => ({ address, port: 80 })),
})

describe('How masquerade is carried out', () => {
  let kernel: FakeKernel
  let helper: InProcessHelper
  let panel: TestPanel
  let client: Client
  let isAway: boolean
  beforeEach(async () => {
    kernel = new FakeKernel()
    helper = inProcessHelper(kernel)
    isAway = false
    const reached = requestThrough(helper.request)
    const request = (async (method: 'host.probe', params: never) => {
      if (isAway) throw helperAway('gone')
      return reached(method, params)
    }) as Writer
    panel = await startPanel({ request })
    client = await panel.setUp()
    kernel.hostRoutes.push(fakeRoute('172.17.1.0/24', 'gre-a-1'))
    await give('172.17.1.1', '2001:db8:1::1')
  })
  afterEach(() => panel.close())

  /** What root's table gives to packets that leave by the tunnel. */
  const give = (...addresses: string[]): Promise<void> =>
    kernel.rulesets.followSources(addresses.map((address) => ({ interface_name: 'gre-a-1', address })))
  const health = async (id = 1): Promise<RouteHealthView> => (await getRoute(client, id)).body.health
  const carriedOut = async (id = 1): Promise<string | null> => (await health(id)).carried_out_as
  const eachOf = async (id = 1): Promise<(string | null)[]> =>
    (await health(id)).destinations.map(({ carried_out_as }) => carried_out_as)

  it('is SNAT to the address of the tunnel that the packets leave by, and what is stored stays masquerade', async () => {
    await madeRoute(client, OVER_TUNNEL)
    const { route, health: shown } = (await getRoute(client, 1)).body
    assert.equal(shown.carried_out_as, 'snat 172.17.1.1')
    assert.equal(route.nat_mode_id, 10)
    assert.equal((await listRoutes(client)).body.routes[0]?.health.carried_out_as, 'snat 172.17.1.1')
  })

  it('is masquerade over any other interface', async () => {
    await madeRoute(client)
    assert.equal(await carriedOut(), 'masquerade')
  })

  it('is masquerade once a route of the host leads past the tunnel, and SNAT again once that is gone', async () => {
    await madeRoute(client, OVER_TUNNEL)
    kernel.hostRoutes.push(fakeRoute('172.17.1.2/32', 'eth0'))
    assert.equal(await carriedOut(), 'masquerade')
    kernel.hostRoutes.pop()
    assert.equal(await carriedOut(), 'snat 172.17.1.1')
  })

  it('follows the address of the tunnel, and is masquerade where the table has none for it', async () => {
    await madeRoute(client, OVER_TUNNEL)
    await give('172.17.1.9')
    assert.equal(await carriedOut(), 'snat 172.17.1.9')
    await give('2001:db8:1::1')
    assert.equal(await carriedOut(), 'masquerade')
  })

  it('is by the address of the family of the rule', async () => {
    kernel.hostRoutes.push(fakeRoute('fd00::/64', 'gre-a-1'))
    await madeRoute(client, { bind_address: '2001:db8::1', destination_address: 'fd00::2' })
    assert.equal(await carriedOut(), 'snat 2001:db8:1::1')
  })

  it('is stated for each destination, and for the rule if it is alike for all', async () => {
    await madeRoute(client, { load_balance_mode_id: 20, ...several('172.17.1.2', '172.17.1.3') })
    assert.deepEqual([await eachOf(), await carriedOut()], [['snat 172.17.1.1', 'snat 172.17.1.1'], 'snat 172.17.1.1'])
    await patchRoute(client, 1, several('172.17.1.2', '10.9.0.2'))
    assert.deepEqual([await eachOf(), await carriedOut()], [['snat 172.17.1.1', 'masquerade'], null])
  })

  it('is not known of a destination without connections, and the rule is as the others are', async () => {
    const destinations = [
      { address: '172.17.1.2', port: 80, weight: 1 },
      { address: '10.9.0.2', port: 80, weight: 0 },
    ]
    await madeRoute(client, { load_balance_mode_id: 40, ...several(), destinations })
    assert.deepEqual([await eachOf(), await carriedOut()], [['snat 172.17.1.1', null], 'snat 172.17.1.1'])
  })

  it('is null where a rule does not masquerade', async () => {
    await madeRoute(client, { ...OVER_TUNNEL, nat_mode_id: 20, snat_address: '192.0.2.1' })
    await madeRoute(client, { ...OVER_TUNNEL, bind_port: 444, nat_mode_id: 30 })
    assert.deepEqual([await carriedOut(1), await carriedOut(2)], [null, null])
  })

  it('is null where a rule is not in force, or not as it is stored', async () => {
    await madeRoute(client, OVER_TUNNEL)
    kernel.rulesets.edit(1, { nat_mode: 'none' })
    assert.equal(await carriedOut(), null)
    kernel.rulesets.flush()
    assert.equal(await carriedOut(), null)
    await actOnRoute(client, 1, 'disable')
    assert.equal(await carriedOut(), null)
  })

  const UNKNOWN: Readonly<Record<string, () => unknown>> = {
    'no route leads to the destination': () => (kernel.hostRoutes = []),
    'the route has several next hops': () =>
      kernel.hostRoutes.push({ ...fakeRoute('172.17.1.2/32', 'gre-a-1'), has_several_hops: true }),
    'the table cannot be read': () => (kernel.rulesets.unreadable = 'Operation not permitted'),
    'a mark may have another route looked up': () => patchRoute(client, 1, { fwmark: 7 }),
  }
  for (const [where, happens] of Object.entries(UNKNOWN))
    it(`is null where ${where}`, async () => {
      await madeRoute(client, OVER_TUNNEL)
      assert.equal(await carriedOut(), 'snat 172.17.1.1')
      await happens()
      assert.equal(await carriedOut(), null)
    })

  it('is null while the helper is away', async () => {
    await madeRoute(client, OVER_TUNNEL)
    isAway = true
    assert.deepEqual([await carriedOut(), await eachOf()], [null, [null]])
  })

  it('is one request to root for a list, and none for rules that do not masquerade or for the look in the background', async () => {
    await createTunnel(client)
    const requestsDuring = async (work: () => Promise<unknown>): Promise<number> => {
      const before = helper.requested.length
      await work()
      return helper.requested.slice(before).filter((method) => method === 'ruleset.sources').length
    }
    await madeRoute(client, { nat_mode_id: 30 })
    assert.equal(await requestsDuring(() => listRoutes(client)), 0)
    for (const bind_port of [444, 445]) await madeRoute(client, { ...OVER_TUNNEL, bind_port })
    assert.equal(await requestsDuring(() => listRoutes(client)), 1)
    assert.equal(await requestsDuring(() => panel.routeWatch.pass('event')), 0)
  })
})
