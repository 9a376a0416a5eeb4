// Sentences about making, reading and changing relay rules that no other test says: the very shape of each answer
// (reference.md, Forwarding rules; decisions.md, section 6, T4, U2).
import assert from 'node:assert/strict'
import type { MetricsSnapshot } from '@panel/shared/api/metrics.ts'
import type { FakeKernel } from '../support/fake-kernel.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import {
  addDestination,
  createRoute,
  getRoute,
  listRoutes,
  madeRoute,
  patchRoute,
  previewRoute,
} from './support/routes.ts'
import { codesOf, createTunnel } from './support/tunnels.ts'
import { openStream } from './support/streams.ts'

const TRAFFIC = [
  'route_rule_id',
  'title',
  'at',
  'interval_seconds',
  'rx_bytes_per_second',
  'tx_bytes_per_second',
  'rx_packets_per_second',
  'tx_packets_per_second',
  'rx_bytes_since_boot',
  'tx_bytes_since_boot',
  'rx_packets_since_boot',
  'tx_packets_since_boot',
  'rx_bytes_since_creation',
  'tx_bytes_since_creation',
  'rx_packets_since_creation',
  'tx_packets_since_creation',
  'active_connections',
  'new_connections_per_second',
  'reset_detected',
]
const ROUTE = [
  'route_rule_id',
  'route_rule_title',
  'route_protocol_id',
  'bind_address',
  'bind_port',
  'destination_address',
  'destination_port',
  'nat_mode_id',
  'load_balance_mode_id',
  'is_enabled',
  'is_clamp_mss_to_pmtu',
  'tunnel_id',
  'destinations',
  'allowed_sources',
  'description',
  'address_family_id',
  'bind_port_range_end',
  'bind_address_interface',
  'bind_interface',
  'destination_port_range_end',
  'snat_address',
  'snat_address_interface',
  'is_include_local_originated',
  'is_logging_enabled',
  'fwmark',
  'max_connections_per_source',
  'connection_rate_limit',
  'sort_order',
  'tags',
  'is_self_heal',
  'is_fast_path',
  'check',
  'apply_status_id',
  'apply_status',
  'last_applied_date',
  'last_apply_error',
  'last_apply_error_message',
  'created_date',
  'updated_date',
]
const has = (found: object | undefined, ...names: string[]): void =>
  assert.deepEqual(Object.keys(found ?? {}).sort(), [...names].sort())

describe('Each sentence about relay rules', () => {
  let kernel: FakeKernel
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    kernel = panel.kernel
    client = await panel.setUp()
  })
  afterEach(() => panel.close())
  const held = (id: number) => kernel.rulesets.rules.get(id)
  const two = [
    { address: '10.9.0.2', port: 80 },
    { address: '10.9.0.3', port: 80 },
  ]
  const severalOf = (destinations: object[]): object => ({
    destination_address: undefined,
    destination_port: undefined,
    destinations,
  })

  describe('GET /routes and /routes/{id}', () => {
    it('a list item is exactly route, health and the traffic fields, and GET /routes/{id} is the same object with the rules that come before it', async () => {
      await madeRoute(client)
      const [item] = (await listRoutes(client)).body.routes
      has(item, 'route', 'health', ...TRAFFIC)
      has(item?.route, ...ROUTE)
      has(
        item?.route.destinations[0],
        'route_destination_id',
        'address',
        'port',
        'port_range_end',
        'weight',
        'is_enabled',
        'is_backup',
        'hostname',
        'hostname_policy',
        'drained_until',
        'state',
        'sort_order',
      )
      has(
        item?.health,
        'state',
        'severity',
        'proof',
        'causes',
        'detail',
        'detail_message',
        'route_rule_id',
        'installed',
        'tunnel',
        'destinations',
        'carried_out_as',
        'fast_path',
      )
      const { at: _at, interval_seconds: _seconds, shadowed_by, ...alone } = (await getRoute(client, 1)).body
      const { at: _listed, interval_seconds: _before, ...listed } = item ?? assert.fail()
      assert.deepEqual(alone, listed)
      assert.deepEqual(shadowed_by, [])
    })

    it('rules are listed by their place, and of one place by their id; a new one joins last', async () => {
      for (const [bind_port, sort_order] of [
        [1, 50],
        [2, 20],
        [3, 20],
        [4, undefined],
      ] as const)
        await madeRoute(client, { bind_port, sort_order })
      assert.deepEqual(
        (await listRoutes(client)).body.routes.map(({ route }) => route.route_rule_id),
        [2, 3, 1, 4],
      )
    })

    it('there is no traffic stream of one rule: live values ride the metrics stream', async () => {
      await madeRoute(client)
      assert.deepEqual(
        [(await client.get('/routes/1/traffic/stream')).status, (await client.get('/routes/traffic/stream')).status],
        [404, 404],
      )
      await panel.traffic.sample()
      kernel.rulesets.relay(1, { tx_bytes: 5000, tx_packets: 5, rx_bytes: 70, rx_packets: 1 })
      panel.clock.advance(1)
      await panel.traffic.sample()
      await panel.metrics.start()
      const stream = await openStream(client, '/system/metrics/stream')
      const [first] = await stream.until(1)
      stream.leave()
      const { routes, route_totals } = first?.data as MetricsSnapshot
      assert.equal(first?.name, 'metrics')
      assert.deepEqual(
        routes.map((one) => [
          one.route_rule_id,
          one.title,
          one.rx_bytes_since_boot,
          one.rx_bytes_since_creation,
          (one.tx_bytes_per_second ?? 0) > 0,
        ]),
        [[1, 'tcp 443 → 10.9.0.2:8443', 70, 70, true]],
      )
      assert.equal(route_totals.routes, 1)
    })
  })

  describe('POST and PATCH /routes', () => {
    it('answers are exactly route, plan, verification and warnings, each warning exactly code, message with its id and parameters, and field', async () => {
      const { body } = await createRoute(client, { bind_address: '0.0.0.0' })
      has(body, 'route', 'plan', 'verification', 'warnings')
      has(body.verification, 'ok', 'checks', 'failures', 'backend', 'rule_count')
      assert.deepEqual(body.verification.failures, [])
      assert(body.warnings.length > 0)
      for (const warning of body.warnings) has(warning, 'code', 'message', 'message_id', 'params', 'field')
      has(
        (await previewRoute(client, { bind_port: 1 })).body,
        'impact',
        'payload',
        'plan',
        'note',
        'note_message',
        'resolved',
        'rule_text',
        'present_text',
        'warnings',
      )
    })

    it('the mode is None while one destination of several is active, and RoundRobin from the second on', async () => {
      const route = await madeRoute(client, severalOf([{ ...two[0] }, { ...two[1], is_enabled: false }]))
      assert.deepEqual([route.load_balance_mode_id, held(1)?.destinations.length, held(1)?.balance], [10, 1, 'none'])
      assert.deepEqual(
        [
          (await patchRoute(client, 1, { destinations: two })).body.route.load_balance_mode_id,
          held(1)?.destinations.length,
        ],
        [20, 2],
      )
    })

    it('a destination that is not enabled, or has no weight, is stored and gets nothing', async () => {
      await madeRoute(client, severalOf([{ ...two[0] }]))
      await addDestination(client, 1, { ...two[1], weight: 7, is_enabled: false })
      const { body } = await addDestination(client, 1, { address: '10.9.0.4', port: 80, weight: 0 })
      assert.deepEqual(
        [body.destinations.map(({ weight, is_enabled }) => [weight, is_enabled]), held(1)?.destinations.length],
        [
          [
            [1, true],
            [7, false],
            [0, true],
          ],
          1,
        ],
      )
    })

    it("naming a tunnel changes no packet's way: the kernel holds the rule just as without", async () => {
      await createTunnel(client)
      await madeRoute(client)
      const before = held(1)
      assert.equal((await patchRoute(client, 1, { tunnel_id: 1 })).body.plan.operation, 'none')
      assert.deepEqual([held(1), (await getRoute(client, 1)).body.health.tunnel?.tunnel_id], [before, 1])
    })

    it('a change that is refused by validation, each for its field, leaves rule and kernel as they were', async () => {
      await madeRoute(client)
      const [before, changes] = [(await getRoute(client, 1)).body.route, kernel.changes.length]
      const refused: [object, Record<string, string>][] = [
        [{ bind_port: 0 }, { bind_port: 'INVALID_PORT' }],
        [{ destination_address: 'x' }, { destination_address: 'INVALID_DESTINATION' }],
        [{ nat_mode_id: 20 }, { snat_address: 'SNAT_ADDRESS_REQUIRED' }],
        [{ tunnel_id: 9 }, { tunnel_id: 'UNKNOWN_TUNNEL' }],
        [{ bind_interface: 'eth9' }, { bind_interface: 'INTERFACE_NOT_FOUND' }],
        [{ allowed_sources: [{ cidr: 'x' }] }, { 'allowed_sources.0.cidr': 'INVALID_CIDR' }],
        [{ destinations: [] }, { destinations: 'INVALID_DESTINATION' }],
        [{ bind_port_range_end: 442 }, { bind_port_range_end: 'INVALID_PORT_RANGE' }],
        [{ colour: 'red' }, { colour: 'UNKNOWN_FIELD' }],
        [{ route_rule_title: null }, { route_rule_title: 'INVALID_ROUTE_TITLE' }],
      ]
      for (const [body, codes] of refused)
        assert.deepEqual(codesOf(await patchRoute(client, 1, body)), codes, JSON.stringify(body))
      assert.deepEqual([(await getRoute(client, 1)).body.route, kernel.changes.length], [before, changes])
    })

    it('where nothing can carry rules out none is made: 503 SERVICE_UNAVAILABLE with the reason, and nothing is stored', async () => {
      kernel.rulesets.backend = 'none'
      kernel.rulesets.unreadable = 'Neither nft nor iptables is installed'
      const { status, error } = await createRoute(client)
      assert.deepEqual(
        [status, error.code, kernel.changes, (await listRoutes(client)).body.total],
        [503, 'SERVICE_UNAVAILABLE', [], 0],
      )
      assert.match(error.message, /nft/)
    })

    it('a copy is made once for one idempotency key, and a long title gives way to its ending', async () => {
      await madeRoute(client, { route_rule_title: 'x'.repeat(100) })
      const once = { headers: { 'Idempotency-Key': 'again' } }
      for (let turn = 0; turn < 2; turn += 1) await client.post('/routes/1/duplicate', undefined, once)
      const { routes, total } = (await listRoutes(client)).body
      assert.deepEqual([total, routes[1]?.route.route_rule_title], [2, `${'x'.repeat(93)} (copy)`])
    })
  })
})
