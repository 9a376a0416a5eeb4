// Relay rules through HTTP: made, listed, shown, changed, deleted (reference.md, Forwarding rules; decisions.md, F1 to F16).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import {
  actOnRoute,
  createRoute,
  deleteRoute,
  duplicateRoute,
  getRoute,
  listRoutes,
  madeRoute,
  patchRoute,
  previewRoute,
  SMALLEST_RULE,
  warningCodes,
} from './support/routes.ts'
import { codesOf, createTunnel } from './support/tunnels.ts'

describe('Relay rules', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())
  const held = (id: number) => panel.kernel.rulesets.rules.get(id)

  describe('POST /routes', () => {
    it('makes a rule: 201 with the rule, the plan, a verification that is ok, and warnings; the kernel holds it', async () => {
      const { status, body, text } = await createRoute(client)
      assert.equal(status, 201, text)
      assert.deepEqual(
        [
          body.route.route_rule_id,
          body.route.apply_status,
          body.route.is_enabled,
          body.verification.ok,
          body.verification.backend,
          body.verification.rule_count,
        ],
        [1, 'Applied', true, true, 'nftables', 1],
      )
      assert.deepEqual(
        [
          body.plan.operation,
          body.plan.route_rule_id,
          body.plan.affected_route_rule_ids,
          body.plan.steps.map(({ kind }) => kind),
          body.plan.rollback.map(({ kind }) => kind),
        ],
        ['create', 1, [1], ['ruleset_submit'], ['ruleset_submit', 'counters_remove']],
      )
      assert.match(body.plan.steps[0]?.description ?? '', /relay TCP of 192\.0\.2\.1:443 to 10\.9\.0\.2:8443/)
      assert(body.verification.checks.length > 5)
      assert.deepEqual(held(1)?.destinations, [{ address: '10.9.0.2', port: 8443, port_range_end: null, weight: 1 }])
      assert.deepEqual(
        [held(1)?.protocol, held(1)?.nat_mode, held(1)?.is_clamp_mss_to_pmtu],
        ['tcp', 'masquerade', true],
      )
    })

    it('fills in TCP, masquerade, clamping, no balance for one destination, and a title made of ports and destination', async () => {
      const route = await madeRoute(client)
      const {
        route_protocol_id,
        nat_mode_id,
        is_clamp_mss_to_pmtu,
        load_balance_mode_id,
        route_rule_title,
        address_family_id,
        destination_address,
        destination_port,
        allowed_sources,
        tags,
      } = route
      assert.deepEqual(
        [
          route_protocol_id,
          nat_mode_id,
          is_clamp_mss_to_pmtu,
          load_balance_mode_id,
          address_family_id,
          destination_address,
          destination_port,
        ],
        [10, 10, true, 10, 10, '10.9.0.2', 8443],
      )
      assert.deepEqual([route_rule_title, allowed_sources, tags], ['tcp 443 → 10.9.0.2:8443', [], []])
      assert.deepEqual(
        route.destinations.map(({ route_destination_id, ...one }) => [route_destination_id > 0, one]),
        [[true, { address: '10.9.0.2', port: 8443, port_range_end: null, weight: 1, is_enabled: true, sort_order: 0 }]],
      )
    })

    it('takes 0.0.0.0, and warns that every address is bound; without a bind address that is what holds', async () => {
      assert(warningCodes(await createRoute(client, { bind_address: '0.0.0.0' })).includes('BIND_ANY_ADDRESS'))
      const { bind_address: _left, ...rest } = SMALLEST_RULE
      assert.equal(
        (await client.post<{ route: { bind_address: string } }>('/routes', { ...rest, bind_port: 444 })).body.route
          .bind_address,
        '0.0.0.0',
      )
      assert.equal(
        (
          await client.post<{ route: { bind_address: string } }>('/routes', {
            bind_port: 445,
            destination_address: '2001:db8::9',
          })
        ).body.route.bind_address,
        '::',
      )
    })

    it('takes several destinations and deals connections out in turn where nobody says how', async () => {
      const route = await madeRoute(client, {
        destination_address: undefined,
        destination_port: undefined,
        destinations: [
          { address: '10.9.0.2', port: 80 },
          { address: '10.9.0.3', port: 81, weight: 5 },
          { address: '10.9.0.4', port: 82, is_enabled: false },
        ],
      })
      assert.deepEqual(
        [route.load_balance_mode_id, route.destination_address, route.destination_port, route.destinations.length],
        [20, '10.9.0.2', 80, 3],
      )
      assert.deepEqual(
        [held(1)?.balance, held(1)?.destinations.map(({ port, weight }) => [port, weight])],
        [
          'round_robin',
          [
            [80, 1],
            [81, 1],
          ],
        ],
      )
    })

    it('a rule with one destination is load balancing over a set of one', async () => {
      await madeRoute(client, { load_balance_mode_id: 20 })
      assert.deepEqual(
        [(await getRoute(client, 1)).body.route.load_balance_mode_id, held(1)?.balance, held(1)?.destinations.length],
        [20, 'none', 1],
      )
    })

    it('stores allowed sources masked, a bare address as a network of one', async () => {
      const { allowed_sources } = await madeRoute(client, {
        allowed_sources: [{ cidr: '203.0.113.77/24', description: 'Office' }, { cidr: '198.51.100.9' }],
      })
      assert.deepEqual(
        allowed_sources.map(({ cidr, description }) => [cidr, description]),
        [
          ['203.0.113.0/24', 'Office'],
          ['198.51.100.9/32', ''],
        ],
      )
      assert.deepEqual(held(1)?.allowed_sources, ['198.51.100.9/32', '203.0.113.0/24'])
    })

    it('takes ranges of equal width, and one destination port as the first of as many', async () => {
      await madeRoute(client, {
        bind_port: 5000,
        bind_port_range_end: 5010,
        destination_port: 6000,
        destination_port_range_end: 6010,
      })
      await madeRoute(client, { bind_port: 7000, bind_port_range_end: 7010, destination_port: 7000 })
      assert.deepEqual(
        [held(1)?.destinations[0]?.port_range_end, held(2)?.destinations[0]?.port_range_end],
        [6010, 7010],
      )
    })

    it('made disabled is stored and not in the kernel', async () => {
      const { body } = await createRoute(client, { is_enabled: false })
      assert.deepEqual(
        [body.route.is_enabled, body.route.apply_status, body.verification.ok, body.plan.operation, held(1)],
        [false, 'Applied', true, 'none', undefined],
      )
      assert.deepEqual(panel.kernel.changes, [])
    })

    it('asked twice with one idempotency key makes one rule', async () => {
      assert.deepEqual(
        [
          (await createRoute(client, { idempotency_key: 'once' })).body.route.route_rule_id,
          (await createRoute(client, { idempotency_key: 'once' })).body.route.route_rule_id,
        ],
        [1, 1],
      )
      assert.equal((await listRoutes(client)).body.total, 1)
    })

    it('is audited as RouteCreate with what was done', async () => {
      await createRoute(client)
      const entry = await panel.db
        .selectFrom('audit_log')
        .selectAll()
        .where('audit_action_id', '=', 150)
        .executeTakeFirstOrThrow()
      assert.deepEqual(
        [entry.target_type, entry.target_id, JSON.parse(entry.operations)],
        ['route', 1, ['ruleset_submit', 'forwarding_set', 'sysctl_file_write']],
      )
    })
  })

  describe('POST /routes/preview', () => {
    it('shows the exact netfilter text with the dnat statement and the destination, and does nothing', async () => {
      const picture = panel.kernel.picture()
      const { status, body, text } = await previewRoute(client)
      assert.equal(status, 200, text)
      assert.match(body.payload, /dnat/)
      assert.match(body.payload, /10\.9\.0\.2/)
      assert.notEqual(body.note, '')
      assert.deepEqual(
        [body.plan.operation, body.plan.route_rule_id, body.plan.affected_route_rule_ids],
        ['create', null, []],
      )
      assert.deepEqual(
        [panel.kernel.picture(), panel.kernel.changes, (await listRoutes(client)).body.total],
        [picture, [], 0],
      )
    })

    it('shows what a rule would become, beside what it is now', async () => {
      await madeRoute(client)
      const { status, body, text } = await previewRoute(client, { route_rule_id: 1, destination_address: '10.9.0.3' })
      assert.equal(status, 200, text)
      assert.deepEqual(
        [body.plan.operation, body.plan.route_rule_id, body.plan.affected_route_rule_ids],
        ['update', 1, [1]],
      )
      assert.match(body.rule_text, /10\.9\.0\.3/)
      assert.match(body.present_text, /10\.9\.0\.2/)
      assert.deepEqual(
        body.resolved.destinations?.map(({ address }) => address),
        ['10.9.0.3'],
      )
      assert.equal((await getRoute(client, 1)).body.route.destination_address, '10.9.0.2')
      assert.deepEqual(
        [
          (await previewRoute(client, { route_rule_id: 2 })).status,
          (await previewRoute(client, { route_rule_id: 1 })).body.plan.operation,
        ],
        [422, 'none'],
      )
    })

    it('answers with the very body whose POST makes what was previewed', async () => {
      const { resolved } = (await previewRoute(client, { bind_port: 5000, bind_port_range_end: 5001 })).body
      const { status, body } = await client.post<{ route: { route_rule_title: string } }>('/routes', resolved)
      assert.deepEqual([status, body.route.route_rule_title], [201, resolved.route_rule_title])
    })
  })

  describe('GET /routes', () => {
    it('lists items of route, health and traffic, with total, limit, offset and a note on the two figures', async () => {
      await madeRoute(client)
      const { body } = await listRoutes(client)
      assert.deepEqual([body.total, body.limit, body.offset, body.routes.length], [1, 100, 0, 1])
      assert.match(body.note, /never add/)
      const [item] = body.routes
      assert.deepEqual(
        [
          item?.route.route_rule_id,
          item?.health.state,
          item?.health.installed,
          item?.rx_bytes_since_boot,
          item?.rx_bytes_since_creation,
        ],
        [1, 'healthy', true, 0, 0],
      )
      assert.deepEqual((await getRoute(client, 1)).body.route, item?.route)
    })

    it('is filtered by search, protocol, NAT mode, tunnel and enabled, and paged', async () => {
      await createTunnel(client)
      await madeRoute(client, { route_rule_title: 'Web', tunnel_id: 1 })
      await madeRoute(client, { bind_port: 53, route_protocol_id: 20, nat_mode_id: 30, description: 'Names' })
      await madeRoute(client, { bind_port: 25, is_enabled: false, destination_address: '10.9.0.77', tags: ['mail'] })
      const ids = async (query: string): Promise<number[]> =>
        (await listRoutes(client, query)).body.routes.map(({ route }) => route.route_rule_id)
      const expected: [string, number[]][] = [
        ['', [1, 2, 3]],
        ['?search=web', [1]],
        ['?search=NAMES', [2]],
        ['?search=10.9.0.77', [3]],
        ['?search=mail', [3]],
        ['?search=25', [3]],
        ['?search=%25', []],
        ['?route_protocol_id=20', [2]],
        ['?nat_mode_id=30', [2]],
        ['?tunnel_id=1', [1]],
        ['?is_enabled=false', [3]],
        ['?is_enabled=1', [1, 2]],
        ['?is_enabled=perhaps', [1, 2, 3]],
        ['?limit=1&offset=1', [2]],
      ]
      for (const [query, wanted] of expected) assert.deepEqual(await ids(query), wanted, query)
    })
  })

  describe('PATCH /routes/{id}', () => {
    it('leaves unmentioned fields unchanged, and takes null as a value', async () => {
      const before = await madeRoute(client, {
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

    it('reapply puts a rule back that somebody took away or changed', async () => {
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
      assert.equal((await duplicateRoute(client, 99)).status, 404)
    })

    it('on a rule that is not there is 404', async () => {
      for (const action of ['enable', 'disable', 'reapply'] as const)
        assert.equal((await actOnRoute(client, 9, action)).status, 404)
    })
  })
})
