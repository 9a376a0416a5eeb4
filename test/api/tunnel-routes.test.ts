// What a tunnel tells of the rules that relay over it (reference.md, GET /tunnels/{id}/routes and States; decisions.md,
// R29, S7).
import assert from 'node:assert/strict'
import type { PathAnswer } from '@panel/shared/api/routes/answers.ts'
import type { RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import {
  actOnRoute,
  getRoute,
  listRoutes,
  madeRoute,
  patchRoute,
  previewRoute,
  tunnelRoutes,
  warningCodes,
} from './support/routes.ts'
import { act, createTunnel, deleteTunnel, patchTunnel } from './support/tunnels.ts'

describe('A tunnel that rules relay over', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await createTunnel(client)
    await madeRoute(client, { tunnel_id: 1, route_rule_title: 'Web' })
    await madeRoute(client, {
      tunnel_id: 1,
      route_rule_title: 'Names',
      bind_port: 53,
      route_protocol_id: 30,
      is_enabled: false,
    })
    await madeRoute(client, { bind_port: 25 })
  })
  afterEach(() => panel.close())

  it('lists them, with a total and a note on what taking the tunnel down does', async () => {
    const { status, body } = await tunnelRoutes(client, 1)
    assert.deepEqual(
      [status, body.total, body.routes],
      [
        200,
        2,
        [
          {
            route_rule_id: 1,
            title: 'Web',
            protocol: 'tcp',
            bind: '192.0.2.1:443',
            destination: '10.9.0.2:8443',
            is_enabled: true,
          },
          {
            route_rule_id: 2,
            title: 'Names',
            protocol: 'both',
            bind: '192.0.2.1:53',
            destination: '10.9.0.2:8443',
            is_enabled: false,
          },
        ],
      ],
    )
    assert.match(body.note, /stay|leaves these rules installed/)
    assert.equal((await tunnelRoutes(client, 9)).status, 404)
  })

  it('warns TUNNEL_HAS_DEPENDENT_ROUTES on down, and the message names them; the rules are then impaired', async () => {
    const down = await act(client, 1, 'down')
    assert.deepEqual([down.status, warningCodes(down)], [200, ['TUNNEL_HAS_DEPENDENT_ROUTES']])
    assert.match(down.body.warnings[0]?.message ?? '', /Web, Names \(disabled\)/)
    const { health } = (await getRoute(client, 1)).body
    assert.deepEqual(
      [health.state, health.installed, health.tunnel?.interface_name, health.tunnel?.is_up],
      ['impaired', true, 'gre-a-1', false],
    )
    assert.equal((await act(client, 1, 'up')).body.warnings.length, 0)
    assert.equal((await getRoute(client, 1)).body.health.state, 'healthy')
  })

  it('warns just so where a change takes it down', async () => {
    assert.deepEqual(warningCodes(await patchTunnel(client, 1, { is_enabled: false })), ['TUNNEL_HAS_DEPENDENT_ROUTES'])
    assert.deepEqual(warningCodes(await patchTunnel(client, 1, { is_enabled: false, note: 'x' })), [])
  })

  it('warns on restart too', async () => {
    assert.deepEqual(warningCodes(await act(client, 1, 'restart')), ['TUNNEL_HAS_DEPENDENT_ROUTES'])
  })

  it('that is deleted names them in its report; they stay, impaired, and can be changed', async () => {
    const { body } = await deleteTunnel(client, 1)
    assert.deepEqual(
      [body.dependent_routes.map(({ title }) => title), body.warnings.map(({ code }) => code)],
      [['Web', 'Names'], ['TUNNEL_HAS_DEPENDENT_ROUTES']],
    )
    assert.deepEqual(
      [(await getRoute(client, 1)).body.health.state, panel.kernel.rulesets.rules.has(1)],
      ['impaired', true],
    )
    assert.equal((await patchRoute(client, 1, { destination_port: 1 })).status, 200)
    assert.equal((await actOnRoute(client, 2, 'enable')).status, 200)
  })

  it('is the one whose subnet holds a destination, whatever the rule names', async () => {
    await createTunnel(client)
    const own = await madeRoute(client, { bind_port: 80, destination_address: '172.17.1.2' })
    const wrong = await madeRoute(client, { bind_port: 81, destination_address: '172.17.2.2', tunnel_id: 1 })
    const over = async (id: number): Promise<(string | undefined)[]> => {
      const { health } = (await getRoute(client, id)).body
      return [health.state, health.tunnel?.interface_name]
    }
    assert.deepEqual(await over(own.route_rule_id), ['healthy', 'gre-a-1'])
    const down = await act(client, 1, 'down')
    assert.match(down.body.warnings[0]?.message ?? '', new RegExp(own.route_rule_title))
    assert.deepEqual(await over(own.route_rule_id), ['impaired', 'gre-a-1'])
    assert.deepEqual(await over(wrong.route_rule_id), ['healthy', 'gre-a-2'])
    assert.deepEqual(
      (await tunnelRoutes(client, 2)).body.routes.map(({ route_rule_id }) => route_rule_id),
      [wrong.route_rule_id],
    )
    const { body } = await client.post<{ verdict: string; summary: string }>(
      `/routes/${own.route_rule_id}/diagnostics/analyze`,
    )
    assert.equal(body.verdict, 'TUNNEL_DOWN')
    assert.match(body.summary, /gre-a-1/)
  })

  const staticRoute = (destination: string, device: string): RoutingEntry => ({
    destination,
    device,
    gateway: '',
    is_default: false,
    source: '',
    table: 254,
    protocol: 'static',
    metric: 0,
  })
  const over = async (id: number): Promise<[string, string | undefined]> => {
    const { health } = (await getRoute(client, id)).body
    return [health.state, health.tunnel?.interface_name]
  }

  it('is the one through which the kernel has a route to a destination', async () => {
    panel.kernel.hostRoutes.push(staticRoute('10.40.0.0/16', 'gre-a-1'))
    const made = await madeRoute(client, { bind_port: 80, destination_address: '10.40.0.2', tunnel_id: null })
    assert.deepEqual(await over(made.route_rule_id), ['healthy', 'gre-a-1'])
    const ids = (await tunnelRoutes(client, 1)).body.routes.map(({ route_rule_id }) => route_rule_id)
    assert.ok(ids.includes(made.route_rule_id))
    const listed = (await listRoutes(client, '?tunnel_id=1')).body.routes.map(({ route }) => route.route_rule_id)
    assert.deepEqual(listed, ids)
  })

  it('stays so while it is down, although the kernel took the route with it', async () => {
    panel.kernel.hostRoutes.push(staticRoute('10.40.0.0/16', 'gre-a-1'))
    const made = await madeRoute(client, { bind_port: 80, destination_address: '10.40.0.2', tunnel_id: null })
    await panel.routeWatch.pass('change')
    panel.kernel.hostRoutes.pop()
    assert.match((await act(client, 1, 'down')).body.warnings[0]?.message ?? '', new RegExp(made.route_rule_title))
    await panel.routeWatch.pass('event')
    assert.deepEqual(await over(made.route_rule_id), ['impaired', 'gre-a-1'])
    await act(client, 1, 'up')
    await panel.routeWatch.pass('period')
    assert.deepEqual(await over(made.route_rule_id), ['healthy', undefined], 'up without the route, it was taken out')
  })

  it('is not one that a rule names while the kernel has a route elsewhere and the tunnel is up', async () => {
    panel.kernel.hostRoutes.push(staticRoute('10.9.0.0/24', 'eth0'))
    assert.deepEqual(await over(1), ['healthy', undefined])
    assert.equal((await tunnelRoutes(client, 1)).body.total, 0)
  })

  it('is each that leads to a destination, and the one that is down makes the rule impaired', async () => {
    await createTunnel(client)
    const { route_rule_id } = await madeRoute(client, {
      bind_port: 80,
      destination_address: undefined,
      destination_port: undefined,
      destinations: [
        { address: '172.17.1.2', port: 80 },
        { address: '172.17.2.2', port: 80 },
      ],
    })
    await act(client, 2, 'down')
    assert.deepEqual(await over(route_rule_id), ['impaired', 'gre-a-2'])
    const { health } = (await getRoute(client, route_rule_id)).body
    assert.deepEqual(
      health.destinations.map(({ address, tunnel }) => [address, tunnel?.interface_name, tunnel?.is_up]),
      [
        ['172.17.1.2', 'gre-a-1', true],
        ['172.17.2.2', 'gre-a-2', false],
      ],
    )
    for (const id of [1, 2])
      assert.ok((await tunnelRoutes(client, id)).body.routes.some((one) => one.route_rule_id === route_rule_id))
  })

  it('is filled in where a new rule names none, and left out where it says so', async () => {
    const body = { bind_port: 80, destination_address: '172.17.1.2' }
    assert.equal((await previewRoute(client, body)).body.resolved.tunnel_id, 1)
    assert.equal((await previewRoute(client, { ...body, tunnel_id: null })).body.resolved.tunnel_id, null)
    assert.equal((await madeRoute(client, body)).tunnel_id, 1)
    const path = (address: string) => client.get<PathAnswer>(`/routes/path?address=${address}`)
    const { far_end, ...found } = (await path('172.17.1.2')).body
    assert.deepEqual(found, { address: '172.17.1.2', tunnel_id: 1, interface_name: 'gre-a-1' })
    const [turnOn, ...others] = far_end
    assert.equal(turnOn?.text_message.message_id, 'far_end.switch')
    const lines = others.flatMap(({ commands }) => commands)
    assert.equal(lines[0], 'ip route replace default via 172.17.1.1 table 1409286145')
    assert.equal(lines.length, 3)
    const elsewhere = (await path('203.0.113.9')).body
    assert.deepEqual([elsewhere.tunnel_id, elsewhere.far_end], [null, []])
    assert.equal((await path('example')).status, 422)
  })

  it('without rules warns of nothing', async () => {
    await createTunnel(client)
    assert.deepEqual(
      [(await act(client, 2, 'down')).body.warnings, (await tunnelRoutes(client, 2)).body.total],
      [[], 0],
    )
  })
})
