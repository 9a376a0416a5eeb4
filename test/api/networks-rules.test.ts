// Relay rules whose destinations lie in networks behind tunnels.
import assert from 'node:assert/strict'
import type { ChangeRouteAnswer, RouteAnswer } from '@panel/shared/api/routes/answers.ts'
import { fakeRoute } from '../support/fake-routes.ts'
import type { Client } from './support/client.ts'
import { createNetwork, eachPanelWithTunnels, patchNetwork, PREFERRED } from './support/networks.ts'
import type { TestPanel } from './support/panel.ts'

describe('A network that rules lead to', () => {
  let panel: TestPanel
  let client: Client
  eachPanelWithTunnels((made) => ({ panel, client } = made))

  it('is named with each rule whose destination lies in it, and the longest where several hold it', async () => {
    await createNetwork(client, { network_title: 'Wide', destination: '10.50.0.0/16', paths: PREFERRED })
    await createNetwork(client, { network_title: 'Narrow', destination: '10.50.1.0/24', paths: [{ tunnel_id: 2 }] })
    const named = async (address: string): Promise<unknown> => {
      const { body, text } = await client.post<ChangeRouteAnswer>('/routes', {
        ...{ bind_port: next++, destination_address: address, destination_port: 80 },
      })
      assert.ok(body.route, text)
      const { health } = (await client.get<RouteAnswer>(`/routes/${body.route.route_rule_id}`)).body
      const { network } = health.destinations[0] ?? {}
      return network && [network.network_title, network.paths.map(({ tunnel_id, state }) => [tunnel_id, state])]
    }
    let next = 3000
    const wide = [
      [1, 'carries'],
      [2, 'standby'],
    ]
    assert.deepEqual(await named('10.50.0.9'), ['Wide', wide])
    assert.deepEqual(await named('10.50.1.9'), ['Narrow', [[2, 'carries']]])
    assert.equal(await named('10.51.0.9'), null)
    await patchNetwork(client, 2, { is_enabled: false })
    assert.deepEqual(await named('10.50.1.9'), ['Wide', wide])
  })

  it('may lead what a rule relays by another path than the tunnel that the rule names', async () => {
    panel.kernel.hostRoutes.push(fakeRoute('10.50.0.0/16', 'gre-a-2'))
    const { body, text } = await client.post<ChangeRouteAnswer>('/routes', {
      ...{ bind_port: 3000, destination_address: '10.50.0.9', destination_port: 80, tunnel_id: 1 },
    })
    assert.ok(body.route, text)
    const codes = async (): Promise<string[]> =>
      (await client.get<RouteAnswer>(`/routes/${body.route.route_rule_id}`)).body.health.causes.map(({ code }) => code)
    assert.ok((await codes()).includes('ROUTE_CHANGED'))
    await createNetwork(client, { paths: [{ tunnel_id: 1 }] })
    assert.ok((await codes()).includes('ROUTE_CHANGED'))
    await patchNetwork(client, 1, { paths: PREFERRED })
    assert.ok(!(await codes()).includes('ROUTE_CHANGED'))
  })
})
