// What needs the operator, and what it takes down (reference.md, GET /reconcile/attention).
import assert from 'node:assert/strict'
import type { AttentionAnswer, Incident } from '@panel/shared/api/reconcile.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { reapply } from './support/reconcile.ts'
import { madeRoute } from './support/routes.ts'
import { act, createTunnel } from './support/tunnels.ts'

describe('What needs attention', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await createTunnel(client, { display_name: 'Hamburg' })
    await madeRoute(client, { route_rule_title: 'Web', destination_address: '172.17.1.2', bind_port: 443 })
    await madeRoute(client, {
      route_rule_title: 'Elsewhere',
      destination_address: '10.9.0.2',
      bind_port: 80,
      tunnel_id: null,
    })
  })
  afterEach(() => panel.close())

  const attention = async (): Promise<AttentionAnswer> => {
    await panel.watch.pass('event')
    await panel.routeWatch.pass('event')
    return (await client.get<AttentionAnswer>('/reconcile/attention')).body
  }
  const told = ({ incidents }: AttentionAnswer): Partial<Incident>[] =>
    incidents.map(({ kind, name, state, can_reapply, affected }) => ({ kind, name, state, can_reapply, affected }))

  it('is nothing where all is well, and it says when that was seen', async () => {
    const { incidents, total, checked_at } = await attention()
    assert.deepEqual([incidents, total], [[], 0])
    assert.match(checked_at ?? '', /^\d{4}-/)
  })

  it('is a tunnel that is not as stored, by its display name, with the rules that it takes down', async () => {
    panel.kernel.held.delete('gre-a-1')
    const answer = await attention()
    assert.deepEqual(told(answer), [
      {
        kind: 'tunnel',
        name: 'Hamburg',
        state: 'down',
        can_reapply: true,
        affected: [{ route_rule_id: 1, title: 'Web' }],
      },
    ])
    const [incident] = answer.incidents
    assert.equal(incident?.reason, 'The interface gre-a-1 is missing on this host')
    assert.equal(incident?.reason_message.message_id, 'attention.missing')
    assert.ok(incident?.since)
    await reapply(client, 1)
    assert.equal((await attention()).total, 0)
  })

  it('is a rule by itself, where nothing is wrong with its tunnel', async () => {
    panel.kernel.rulesets.flush()
    assert.deepEqual(
      told(await attention()).map(({ kind, name, state, can_reapply }) => [kind, name, state, can_reapply]),
      [
        ['route', 'Web', 'down', true],
        ['route', 'Elsewhere', 'down', true],
      ],
    )
  })

  it('is a rule whose tunnel the operator has taken down, since that is no fault of the tunnel', async () => {
    await act(client, 1, 'down')
    const { incidents } = await attention()
    assert.deepEqual(
      incidents.map(({ kind, name, state, can_reapply }) => [kind, name, state, can_reapply]),
      [['route', 'Web', 'degraded', false]],
    )
    assert.match(incidents[0]?.reason ?? '', /gre-a-1 that it relays over is down/)
  })

  it('counts the connections of the rules, and says where it does not know them', async () => {
    panel.kernel.held.delete('gre-a-1')
    assert.equal((await attention()).incidents[0]?.affected_connections, null)
    assert.equal((await attention()).incidents[0]?.affected_routes, 1)
  })
})
