// Relay rules through HTTP: changed, deleted, enabled and disabled (reference.md, Forwarding rules; decisions.md, F1 to
// F16).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { actOnRoute, deleteRoute, duplicateRoute, getRoute, madeRoute, patchRoute } from './support/routes.ts'
import { codesOf, createTunnel } from './support/tunnels.ts'

describe('A change of a relay rule', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())
  const held = (id: number) => panel.kernel.rulesets.rules.get(id)

  describe('PATCH /routes/{id}', () => {
    it('leaves unmentioned fields unchanged, and takes null as a value', async () => {
      const before = await madeRoute(client, {
        route_rule_title: 'Web',
        fwmark: 7,
        description: 'One',
        allowed_sources: [{ cidr: '203.0.113.0/24' }],
        max_connections_per_source: 5,
      })
      const { status, body, text } = await patchRoute(client, 1, { fwmark: null, destination_port: 9000 })
      assert.equal(status, 200, text)
      const { updated_date: _u, last_applied_date: _l, ...after } = body.route
      const { updated_date: _v, last_applied_date: _m, ...wanted } = before
      const { route_destination_id: _id, ...destination } = wanted.destinations[0]!
      assert.deepEqual(
        { ...after, destinations: [] },
        { ...wanted, fwmark: null, destination_port: 9000, destinations: [] },
      )
      assert.deepEqual(
        after.destinations.map(({ route_destination_id: _other, ...one }) => one),
        [{ ...destination, port: 9000 }],
      )
      assert.deepEqual(
        [body.plan.operation, held(1)?.fwmark, held(1)?.destinations[0]?.port, held(1)?.max_connections_per_source],
        ['update', null, 9000, 5],
      )
    })

    it('of what the kernel never sees leaves it alone', async () => {
      await madeRoute(client)
      const changes = panel.kernel.changes.length
      const { body } = await patchRoute(client, 1, { route_rule_title: 'Another', description: 'Two', tags: ['x'] })
      assert.deepEqual(
        [body.route.route_rule_title, body.plan.operation, body.verification.ok, panel.kernel.changes.length],
        ['Another', 'none', true, changes],
      )
    })

    it('with a list of destinations replaces them all, and the mode follows their number', async () => {
      await madeRoute(client)
      const two = await patchRoute(client, 1, {
        destinations: [
          { address: '10.9.0.5', port: 80 },
          { address: '10.9.0.6', port: 80 },
        ],
      })
      assert.deepEqual([two.body.route.load_balance_mode_id, two.body.route.destination_address], [20, '10.9.0.5'])
      const one = await patchRoute(client, 1, { destinations: [{ address: '10.9.0.6', port: 80 }] })
      assert.deepEqual([one.body.route.load_balance_mode_id, one.body.route.destination_address], [10, '10.9.0.6'])
    })

    it('takes a rule back as GET gave it', async () => {
      await madeRoute(client, {
        destinations: [
          { address: '10.9.0.2', port: 8443 },
          { address: '10.9.0.3', port: 8443 },
        ],
      })
      const { route } = (await getRoute(client, 1)).body
      const {
        route_rule_id: _i,
        apply_status_id: _a,
        apply_status: _s,
        last_applied_date: _l,
        last_apply_error: _e,
        last_apply_error_message: _m,
        created_date: _c,
        updated_date: _u,
        ...fields
      } = route
      const { status, body, text } = await patchRoute(client, 1, fields)
      assert.deepEqual([status, body.plan?.operation], [200, 'none'], text)
    })

    it('clears tunnel_id with null', async () => {
      await createTunnel(client)
      await madeRoute(client, { tunnel_id: 1 })
      assert.equal((await patchRoute(client, 1, { tunnel_id: null })).body.route.tunnel_id, null)
    })

    it('is not refused for what was so before', async () => {
      await madeRoute(client)
      panel.kernel.hostListeners = [
        { protocol: 'tcp', address: '0.0.0.0', port: 443, process: 'nginx', is_sshd: false },
      ]
      assert.equal((await patchRoute(client, 1, { description: 'x' })).status, 200)
      assert.equal(
        (await patchRoute(client, 1, { bind_port: 443, route_protocol_id: 10, destination_address: '10.9.0.9' }))
          .status,
        200,
      )
      assert.deepEqual(codesOf(await patchRoute(client, 1, { route_protocol_id: 30, description: 'x'.repeat(2001) })), {
        description: 'INVALID_VALUE',
      })
    })
  })

  describe('DELETE /routes/{id}', () => {
    it('rebuilds the ruleset without it, reports, and a later GET is 404', async () => {
      await madeRoute(client)
      await madeRoute(client, { bind_port: 444 })
      const { status, body } = await deleteRoute(client, 1)
      assert.deepEqual(
        [
          status,
          body.route_rule_id,
          body.title,
          body.plan.operation,
          body.verification.ok,
          body.verification.rule_count,
          body.forwarding_can_be_reverted,
        ],
        [200, 1, 'tcp 443 → 10.9.0.2:8443', 'delete', true, 1, false],
      )
      assert.deepEqual(
        [held(1), held(2)?.bind_port, (await getRoute(client, 1)).status, (await deleteRoute(client, 1)).status],
        [undefined, 444, 404, 404],
      )
    })

    it('of the last rule offers to revert IP forwarding where the panel enabled it, and never does so itself', async () => {
      await madeRoute(client)
      const { body } = await deleteRoute(client, 1)
      assert.deepEqual([body.forwarding_can_be_reverted, panel.kernel.forwarding.live.ipv4], [true, true])
      assert.match(body.note, /revert/)
    })

    it('frees its title and never its id', async () => {
      await madeRoute(client, { route_rule_title: 'Web' })
      await deleteRoute(client, 1)
      assert.deepEqual([(await madeRoute(client, { route_rule_title: 'web' })).route_rule_id], [2])
    })
  })

  describe('Actions', () => {
    it('disable takes a rule out of force and keeps it stored; enable puts it back', async () => {
      await madeRoute(client)
      const off = await actOnRoute(client, 1, 'disable')
      assert.deepEqual(
        [off.status, off.body.action, off.body.route.is_enabled, off.body.plan.operation, held(1)],
        [200, 'disable', false, 'delete', undefined],
      )
      assert.equal((await getRoute(client, 1)).body.health.state, 'disabled')
      const on = await actOnRoute(client, 1, 'enable')
      assert.deepEqual(
        [on.status, on.body.action, on.body.route.is_enabled, held(1)?.bind_port],
        [200, 'enable', true, 443],
      )
    })

    it('enable is refused where another rule has taken its place meanwhile', async () => {
      await madeRoute(client, { is_enabled: false })
      await madeRoute(client, { route_rule_title: 'Other' })
      const { status, error, ...reply } = await actOnRoute(client, 1, 'enable')
      assert.equal(status, 422, error.message)
      assert.match(error.message, /Other/)
      assert.equal(reply.body === null, false)
    })

    it('reapply puts a rule back that was taken away or changed by hand', async () => {
      await madeRoute(client)
      panel.kernel.rulesets.flush()
      assert.equal((await getRoute(client, 1)).body.health.state, 'failed')
      const { status, body } = await actOnRoute(client, 1, 'reapply')
      assert.deepEqual([status, body.action, body.verification.ok, held(1)?.bind_port], [200, 'reapply', true, 443])
      panel.kernel.rulesets.rules.set(1, { ...held(1)!, bind_port: 9 })
      assert.match((await getRoute(client, 1)).body.health.detail, /bind_port/)
      await actOnRoute(client, 1, 'reapply')
      assert.equal(held(1)?.bind_port, 443)
    })

    it('a title that nobody gave goes with the rule, and one that was given stays', async () => {
      const title = async (id: number) => (await getRoute(client, id)).body.route.route_rule_title
      await madeRoute(client)
      await madeRoute(client, { bind_port: 444, route_rule_title: 'Mine' })
      await patchRoute(client, 1, { bind_port: 8443, destination_port: 22 })
      await patchRoute(client, 2, { bind_port: 445 })
      assert.deepEqual([await title(1), await title(2)], ['tcp 8443 → 10.9.0.2:22', 'Mine'])
      await madeRoute(client, { bind_port: 8443, bind_address: '203.0.113.5', destination_port: 22 })
      assert.equal(await title(3), 'tcp 8443 → 10.9.0.2:22 (2)')
      await patchRoute(client, 3, { description: 'same ports' })
      assert.equal(await title(3), 'tcp 8443 → 10.9.0.2:22 (2)')
      await patchRoute(client, 3, { route_protocol_id: 20 })
      assert.equal(await title(3), 'udp 8443 → 10.9.0.2:22')
      await patchRoute(client, 3, { route_rule_title: 'Named', destination_port: 23 })
      assert.equal(await title(3), 'Named')
    })

    it('duplicate makes a disabled copy with a free name and says why', async () => {
      await madeRoute(client, { route_rule_title: 'Web', allowed_sources: [{ cidr: '203.0.113.0/24' }] })
      const first = await duplicateRoute(client, 1)
      const second = await duplicateRoute(client, 1)
      assert.deepEqual(
        [
          first.status,
          first.body.route.route_rule_title,
          first.body.route.is_enabled,
          first.body.route.allowed_sources.length,
          second.body.route.route_rule_title,
        ],
        [201, 'Web (copy)', false, 1, 'Web (copy 2)'],
      )
      assert.match(first.body.note, /disabled/)
      const { created_date, updated_date, last_applied_date } = second.body.route
      assert.deepEqual([updated_date, last_applied_date], [created_date, created_date])
      assert.ok(created_date > (await getRoute(client, 1)).body.route.created_date)
      assert.equal((await duplicateRoute(client, 99)).status, 404)
    })

    it('on a rule that is not there is 404', async () => {
      for (const action of ['enable', 'disable', 'reapply'] as const)
        assert.equal((await actOnRoute(client, 9, action)).status, 404)
    })
  })
})
