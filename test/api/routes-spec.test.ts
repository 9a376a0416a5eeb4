// Sentences about relay rules that no other test says: the very shape of each answer, the states on the way, and what an operator asks twice (interface.md, Forwarding rules, System, Reconcile; decisions.md, section 6, S1, S11, T4, U2).
import assert from 'node:assert/strict'
import { APPLY_STATUSES } from '@panel/shared/api/lookups.ts'
import type { ForwardingAnswer } from '@panel/shared/api/forwarding.ts'
import type { MetricsSnapshot } from '@panel/shared/api/metrics.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type {
  RouteTrafficAnswer,
  TrafficHistoryAnswer,
  TrafficSummaryAnswer,
} from '@panel/shared/api/routes/traffic.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { askOf, startPanel, type TestPanel } from './support/panel.ts'
import {
  actOnRoute,
  addDestination,
  applyAll,
  createRoute,
  deleteRoute,
  duplicateRoute,
  enableForwarding,
  forwarding,
  getRoute,
  listRoutes,
  madeRoute,
  patchRoute,
  previewRoute,
  reorder,
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
  'bind_interface',
  'destination_port_range_end',
  'snat_address',
  'is_include_local_originated',
  'is_logging_enabled',
  'fwmark',
  'max_connections_per_source',
  'connection_rate_limit',
  'sort_order',
  'tags',
  'apply_status_id',
  'apply_status',
  'last_applied_date',
  'last_apply_error',
  'created_date',
  'updated_date',
]
const has = (found: object | undefined, ...names: string[]): void =>
  assert.deepEqual(Object.keys(found ?? {}).sort(), [...names].sort())

describe('Each sentence about relay rules', () => {
  let kernel: FakeKernel
  let panel: TestPanel
  let client: Client
  let atApply: () => Promise<void>
  beforeEach(async () => {
    kernel = new FakeKernel()
    atApply = async () => undefined
    const helper = askOf(inProcessHelper(kernel).ask)
    const ask = (async (method: 'ruleset.apply', params: never) => {
      if (method === 'ruleset.apply') await atApply()
      return helper(method, params)
    }) as Writer
    panel = await startPanel({ ask })
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
    it('a list item is exactly route, health and the traffic fields, and GET /routes/{id} is the same object', async () => {
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
        'sort_order',
      )
      has(item?.health, 'state', 'detail', 'route_rule_id', 'installed', 'tunnel')
      const { at: _at, interval_seconds: _seconds, ...alone } = (await getRoute(client, 1)).body
      const { at: _listed, interval_seconds: _before, ...listed } = item ?? assert.fail()
      assert.deepEqual(alone, listed)
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
    it('answers are exactly route, plan, verification and warnings, each warning exactly code, message and field', async () => {
      const { body } = await createRoute(client, { bind_address: '0.0.0.0' })
      has(body, 'route', 'plan', 'verification', 'warnings')
      has(body.verification, 'ok', 'checks', 'failures', 'backend', 'rule_count')
      assert.deepEqual(body.verification.failures, [])
      assert(body.warnings.length > 0)
      for (const warning of body.warnings) has(warning, 'code', 'message', 'field')
      has(
        (await previewRoute(client, { bind_port: 1 })).body,
        'payload',
        'plan',
        'note',
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

  describe('States', () => {
    it('a rule is Pending while a change or a reapply of it is carried out, and Applied after', async () => {
      await madeRoute(client)
      const seen: number[] = []
      atApply = async () =>
        void seen.push(
          (await panel.db.selectFrom('route_rule').select('apply_status_id').executeTakeFirstOrThrow()).apply_status_id,
        )
      await patchRoute(client, 1, { destination_port: 9 })
      for (const status of [APPLY_STATUSES.Failed, APPLY_STATUSES.Inconsistent]) {
        await panel.db.updateTable('route_rule').set({ apply_status_id: status }).execute()
        kernel.rulesets.flush()
        assert.equal((await actOnRoute(client, 1, 'reapply')).body.route.apply_status, 'Applied')
      }
      assert.deepEqual(seen, Array(3).fill(APPLY_STATUSES.Pending))
    })

    it('enabling what is enabled and disabling what is disabled is 200 and changes nothing', async () => {
      await madeRoute(client)
      const changes = kernel.changes.length
      const again = await actOnRoute(client, 1, 'enable')
      assert.deepEqual([again.status, again.body.plan.operation, kernel.changes.length], [200, 'none', changes])
      await actOnRoute(client, 1, 'disable')
      const off = await actOnRoute(client, 1, 'disable')
      assert.deepEqual([off.status, off.body.plan.operation, off.body.route.is_enabled], [200, 'none', false])
    })

    it('reapplying a rule that is disabled leaves it disabled, and takes out what somebody put in', async () => {
      await madeRoute(client)
      const rule = held(1)
      await actOnRoute(client, 1, 'disable')
      kernel.rulesets.rules.set(1, rule ?? assert.fail())
      const { status, body } = await actOnRoute(client, 1, 'reapply')
      assert.deepEqual([status, body.route.is_enabled, held(1)], [200, false, undefined])
    })
  })

  describe('Actions on all, and deleting', () => {
    it('order is visible: of two that overlap the first gets what both match, and reorder turns that round', async () => {
      await madeRoute(client, {
        route_rule_title: 'Wide',
        bind_address: '0.0.0.0',
        bind_port: 400,
        bind_port_range_end: 500,
      })
      await madeRoute(client, { route_rule_title: 'Narrow' })
      const shadows = async (): Promise<[number, number[]][]> =>
        (await client.get<ReconcileAnswer>('/reconcile')).body.routes.map((one) => [one.route_rule_id, one.shadows])
      assert.deepEqual(await shadows(), [
        [1, []],
        [2, [1]],
      ])
      await reorder(client, [2])
      assert.deepEqual(await shadows(), [
        [2, []],
        [1, []],
      ])
    })

    it('reorder, apply-all, duplicate and delete answer with a note beside what they did', async () => {
      await madeRoute(client)
      const answers = [
        [(await reorder(client, [1])).body, 'action', 'routes', 'note'],
        [(await applyAll(client)).body, 'action', 'rules_applied', 'verification', 'note'],
        [(await duplicateRoute(client, 1)).body, 'route', 'note'],
      ] as const
      for (const [body, ...names] of answers) has(body, ...names)
      const gone = (await deleteRoute(client, 1)).body
      has(
        gone,
        'route_rule_id',
        'title',
        'plan',
        'verification',
        'connections_dropped',
        'forwarding_can_be_reverted',
        'warnings',
        'note',
      )
      for (const { note } of [...answers.map(([body]) => body), gone]) assert.notEqual(note, '')
    })

    it('each action is in the log under its number, by which it is found, with actor and content', async () => {
      await madeRoute(client)
      await patchRoute(client, 1, { description: 'Changed' })
      for (const action of ['disable', 'enable', 'reapply'] as const) await actOnRoute(client, 1, action)
      await deleteRoute(client, 1)
      const ids = {
        RouteCreate: 150,
        RouteUpdate: 160,
        RouteDelete: 170,
        RouteEnable: 180,
        RouteDisable: 190,
        RouteReapply: 200,
      }
      for (const [action, id] of Object.entries(ids)) {
        const { status, body } = await client.get<{ total: number; entries: Record<string, unknown>[] }>(
          `/audit?action=${action}`,
        )
        assert.deepEqual(
          [
            status,
            body.total,
            body.entries[0]?.['action'],
            body.entries[0]?.['audit_action_id'],
            body.entries[0]?.['is_success'],
          ],
          [200, 1, action, id, true],
        )
        assert.match(JSON.stringify(body.entries[0]), /"operator"/)
      }
      assert.match((await client.get('/audit?action=RouteUpdate')).text, /Changed/)
    })
  })

  describe('Traffic', () => {
    it('each answer has just its fields, and says which way tx and rx are', async () => {
      await madeRoute(client)
      const live = (await client.get<RouteTrafficAnswer>('/routes/1/traffic')).body
      has(live, 'route_rule_id', 'title', 'traffic', 'sampled', 'points', 'note')
      has(live.traffic, ...TRAFFIC)
      const { body: sum } = await client.get<TrafficSummaryAnswer>('/routes/traffic/summary')
      has(sum, 'summary', 'routes', 'note')
      has(
        sum.summary,
        'routes',
        'rx_bytes_per_second',
        'tx_bytes_per_second',
        'rx_bytes_since_creation',
        'tx_bytes_since_creation',
        'active_connections',
        'at',
      )
      for (const path of [
        '/routes',
        '/routes/1/traffic',
        '/routes/traffic/summary',
        '/routes/1/traffic/history',
        '/routes/1/counters',
      ])
        assert.match(
          (await client.get<{ note: string }>(path)).body.note,
          /tx is towards the destination.* rx .*back/,
          path,
        )
    })

    it('history is of the last 24 hours unless told otherwise, and of a year at most', async () => {
      await madeRoute(client)
      const hours = async (query: string): Promise<number> =>
        Math.round(
          (Date.now() -
            Date.parse((await client.get<TrafficHistoryAnswer>(`/routes/1/traffic/history${query}`)).body.since)) /
            3_600_000,
        )
      assert.deepEqual(
        [await hours(''), await hours('?hours=2'), await hours('?hours=99999'), await hours('?hours=x')],
        [24, 2, 8760, 24],
      )
      kernel.rulesets.relay(1, { tx_bytes: 1, tx_packets: 1 })
      await panel.traffic.sample()
      has(
        (await client.get<TrafficHistoryAnswer>('/routes/1/traffic/history')).body.samples[0],
        'bucket_start_date',
        'rx_bytes',
        'tx_bytes',
        'rx_packets',
        'tx_packets',
        'active_connections',
        'new_connections',
      )
    })

    it('connections are 200 unless told otherwise', async () => {
      await madeRoute(client)
      const one = {
        route_rule_id: 1,
        protocol: 'tcp',
        source_address: '203.0.113.5',
        bind_address: '192.0.2.1',
        bind_port: 443,
        destination_address: '10.9.0.2',
        destination_port: 8443,
        state: 'ESTABLISHED',
        age_seconds: 1,
        timeout_seconds: 9,
        tx_bytes: 1,
        tx_packets: 1,
        rx_bytes: 1,
        rx_packets: 1,
        mark: 0,
      } as const
      kernel.connections.open = Array.from({ length: 201 }, (_, at) => ({ ...one, source_port: 1024 + at }))
      const { body } = await client.get<{ connections: object[]; total: number }>('/routes/1/connections')
      assert.deepEqual([body.connections.length, body.total], [200, 201])
      has(
        body,
        'route_rule_id',
        'reader',
        'available',
        'bytes_counted',
        'detail',
        'connections',
        'total',
        'by_source',
        'new_per_second',
        'warnings',
        'checked_at',
      )
    })
  })

  describe('System and reconcile', () => {
    it('the share of connections that are tracked is told in percent, and null where the kernel tracks none', async () => {
      kernel.forwarding.conntrack = { count: 1, max: 8, is_accounting: true, is_timestamping: true }
      const shown = async (): Promise<ForwardingAnswer['forwarding']> => (await forwarding(client)).body.forwarding
      assert.equal((await shown()).conntrack_usage_percent, 12.5)
      kernel.forwarding.conntrack = null
      const { conntrack_count, conntrack_max, conntrack_usage_percent } = await shown()
      assert.deepEqual([conntrack_count, conntrack_max, conntrack_usage_percent], [null, null, null])
    })

    it('enable and revert answer with action, forwarding, warnings and a note', async () => {
      for (const body of [{}, { revert: true }, { revert: true }]) {
        const answer = (await enableForwarding(client, body)).body
        has(answer, 'action', 'forwarding', 'warnings', 'note')
        assert.notEqual(answer.note, '')
      }
    })

    it('a rule whose change could not be undone is Inconsistent in a reconciliation, and each rule has just its fields', async () => {
      await madeRoute(client)
      await panel.db
        .updateTable('route_rule')
        .set({ apply_status_id: APPLY_STATUSES.Inconsistent, last_apply_error: 'no room' })
        .execute()
      const { routes, route_counts, route_findings } = (await client.get<ReconcileAnswer>('/reconcile')).body
      assert.deepEqual(
        [routes[0]?.status, routes[0]?.reconcile_status_id, route_counts],
        ['Inconsistent', 50, { Inconsistent: 1 }],
      )
      assert.match(routes[0]?.detail ?? '', /no room/)
      has(
        routes[0],
        'route_rule_id',
        'title',
        'status',
        'reconcile_status_id',
        'detail',
        'actions',
        'expected_rules',
        'installed_rules',
        'diffs',
        'shadows',
      )
      has(
        route_findings,
        'backend',
        'readable',
        'detail',
        'enabled_rules',
        'ip_forwarding_enabled',
        'ip_forwarding_expected',
        'ip_forwarding_panel_managed',
        'missing_jumps',
        'foreign_readable',
        'foreign_managers',
        'foreign_shadows',
        'notes',
      )
    })
  })
})
