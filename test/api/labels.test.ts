// PATCH of what people call a tunnel or a rule and write about it: answered from the store, without a request to root
// (decisions.md, T25).
import assert from 'node:assert/strict'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper, type InProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { getRoute, madeRoute, patchRoute } from './support/routes.ts'
import { codesOf, createTunnel, getTunnel, patchTunnel } from './support/tunnels.ts'

describe('PATCH of labels alone', () => {
  let panel: TestPanel
  let helper: InProcessHelper
  let client: Client
  beforeEach(async () => {
    helper = inProcessHelper(new FakeKernel())
    panel = await startPanel({ request: requestThrough(helper.request), stream: helper.stream })
    client = await panel.setUp()
    await createTunnel(client, { mtu: 1400 })
    await madeRoute(client)
    panel.clock.advance(1)
    helper.requested.length = 0
  })
  afterEach(() => panel.close())

  const TUNNEL_LABELS = { display_name: 'Berlin', note: 'two\nlines', tags: ['a', 'b'] }
  const RULE_LABELS = { route_rule_title: 'Web', description: 'two\nlines', tags: ['a', 'b'] }

  it('sends root no request for a tunnel, and keeps all else', async () => {
    const { observed: _was, ...before } = (await client.get<object & { observed: object }>('/tunnels/1')).body
    helper.requested.length = 0
    const { status, body } = await patchTunnel(client, 1, TUNNEL_LABELS)
    const { observed, ...tunnel } = body.tunnel
    assert.equal(status, 200)
    assert.deepEqual(helper.requested, [])
    assert.deepEqual(tunnel, { ...before, ...TUNNEL_LABELS, updated_date: tunnel.updated_date })
    assert.equal(observed.is_known, false)
    assert.equal(observed.detail_message.message_id, 'tunnel.not_observed')
    assert.equal(body.plan.operation, 'none')
    assert.deepEqual([body.verification.ok, body.verification.checks, body.warnings], [true, [], []])
  })

  it('sends root no request for a rule, and keeps all else', async () => {
    const { route: before } = (await getRoute(client, 1)).body
    helper.requested.length = 0
    const { status, body } = await patchRoute(client, 1, RULE_LABELS)
    assert.equal(status, 200)
    assert.deepEqual(helper.requested, [])
    assert.deepEqual(body.route, { ...before, ...RULE_LABELS, updated_date: body.route.updated_date })
    assert.equal(body.plan.operation, 'none')
    assert.deepEqual([body.verification.ok, body.verification.rule_count], [true, 1])
    assert.deepEqual([body.verification.checks, body.connections_dropped, body.warnings], [[], null, []])
  })

  it('is the same beside fields that keep their value', async () => {
    const { interface_name, mtu, is_enabled } = (await getTunnel(client, 1)).body
    const { bind_port, is_clamp_mss_to_pmtu } = (await getRoute(client, 1)).body.route
    helper.requested.length = 0
    await patchTunnel(client, 1, { interface_name, mtu, is_enabled, note: 'x' })
    await patchRoute(client, 1, { bind_port, is_clamp_mss_to_pmtu, description: 'x' })
    assert.deepEqual(helper.requested, [])
  })

  it('is stored, and published as any change', async () => {
    const published: string[] = []
    panel.bus.subscribe('tunnel.updated', ({ tunnel_id }) => published.push(`tunnel ${tunnel_id}`))
    panel.bus.subscribe('routes.changed', ({ route_rule_ids }) => published.push(`rules ${route_rule_ids.join(' ')}`))
    await patchTunnel(client, 1, TUNNEL_LABELS)
    await patchRoute(client, 1, RULE_LABELS)
    const { display_name } = (await getTunnel(client, 1)).body
    const { route_rule_title } = (await getRoute(client, 1)).body.route
    assert.deepEqual([display_name, route_rule_title], ['Berlin', 'Web'])
    assert.deepEqual(published, ['tunnel 1', 'rules 1'])
  })

  it('lets root end the connections of a rule where that is requested', async () => {
    const { body } = await patchRoute(client, 1, { description: 'x', drop_connections: true })
    assert.deepEqual([helper.requested, body.connections_dropped], [['ruleset.disconnect'], 0])
  })

  it('refuses a title that another rule has, and takes back the one that the rule has', async () => {
    await madeRoute(client, { bind_port: 9000, route_rule_title: 'Web' })
    const taken = await patchRoute(client, 1, { route_rule_title: 'wEb' })
    assert.deepEqual([taken.status, codesOf(taken)], [422, { route_rule_title: 'ROUTE_TITLE_CONFLICT' }])
    assert.equal(
      (await patchRoute(client, 1, { route_rule_title: (await getRoute(client, 1)).body.route.route_rule_title }))
        .status,
      200,
    )
  })

  it('previews nothing to be done on the host, without a request to root', async () => {
    for (const [path, body] of [
      ['/tunnels/1', TUNNEL_LABELS],
      ['/routes/1', RULE_LABELS],
    ] as const) {
      const { status, text } = await client.post('/impact', { method: 'PATCH', path, body })
      assert.equal(status, 200, text)
    }
    assert.deepEqual(helper.requested, [])
  })
})
