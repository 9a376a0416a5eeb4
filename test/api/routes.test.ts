// Relay rules through HTTP: made, previewed, listed, shown (reference.md, Forwarding rules; decisions.md, F1 to F16).
import assert from 'node:assert/strict'
import { IN_ROTATION } from '@panel/shared/ruleset/model.ts'
import type { Client } from './support/client.ts'
import { newDestination } from '../support/records.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import {
  createRoute,
  getRoute,
  listRoutes,
  madeRoute,
  previewRoute,
  SMALLEST_RULE,
  warningCodes,
} from './support/routes.ts'
import { createTunnel } from './support/tunnels.ts'

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
        [
          'create',
          1,
          [1],
          ['ruleset_submit', 'forwarding_set', 'sysctl_file_write'],
          ['sysctl_file_remove', 'forwarding_set', 'ruleset_submit', 'counters_remove'],
        ],
      )
      assert.match(body.plan.steps[0]?.description ?? '', /relay TCP of 192\.0\.2\.1:443 to 10\.9\.0\.2:8443/)
      assert(body.verification.checks.length > 5)
      assert.deepEqual(held(1)?.destinations, [
        { address: '10.9.0.2', port: 8443, port_range_end: null, weight: 1, ...IN_ROTATION },
      ])
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
        [[true, newDestination('10.9.0.2', 8443)]],
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

    it('sent twice with one idempotency key makes one rule', async () => {
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
      await madeRoute(client, { route_rule_title: 'Web Дом', tunnel_id: 1 })
      await madeRoute(client, { bind_port: 53, route_protocol_id: 20, nat_mode_id: 30, description: 'Names' })
      await madeRoute(client, { bind_port: 25, is_enabled: false, destination_address: '10.9.0.77', tags: ['mail'] })
      const ids = async (query: string): Promise<number[]> =>
        (await listRoutes(client, query)).body.routes.map(({ route }) => route.route_rule_id)
      const expected: [string, number[]][] = [
        ['', [1, 2, 3]],
        ['?search=web', [1]],
        [`?search=${encodeURIComponent('ДОМ')}`, [1]],
        [`?search=${encodeURIComponent('дом')}`, [1]],
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
        ['?limit=1&offset=1', [2]],
      ]
      for (const [query, wanted] of expected) assert.deepEqual(await ids(query), wanted, query)
    })
  })
})
