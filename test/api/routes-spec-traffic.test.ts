// Sentences about the traffic of relay rules, and about them in System and Reconcile, that no other test says
// (reference.md; decisions.md, section 6, S1, S11).
import assert from 'node:assert/strict'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { ForwardingAnswer } from '@panel/shared/api/forwarding.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type {
  RouteTrafficAnswer,
  TrafficHistoryAnswer,
  TrafficSummaryAnswer,
} from '@panel/shared/api/routes/traffic.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import type { FakeKernel } from '../support/fake-kernel.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { enableForwarding, forwarding, madeRoute } from './support/routes.ts'

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
const has = (found: object | undefined, ...names: string[]): void =>
  assert.deepEqual(Object.keys(found ?? {}).sort(), [...names].sort())

describe('Each sentence about traffic, the system and reconcile', () => {
  let kernel: FakeKernel
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    kernel = panel.kernel
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  describe('Traffic', () => {
    it('each answer has just its fields, and says which way tx and rx are', async () => {
      await madeRoute(client)
      const live = (await client.get<RouteTrafficAnswer>('/routes/1/traffic')).body
      has(live, 'route_rule_id', 'title', 'traffic', 'sampled', 'points', 'note', 'note_message')
      has(live.traffic, ...TRAFFIC)
      const { body: sum } = await client.get<TrafficSummaryAnswer>('/routes/traffic/summary')
      has(sum, 'summary', 'routes', 'note', 'note_message')
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

    it('history is of the last 24 hours by default, and of a year at most', async () => {
      await madeRoute(client)
      const hours = async (query: string): Promise<number> =>
        Math.round(
          (Date.now() -
            Date.parse((await client.get<TrafficHistoryAnswer>(`/routes/1/traffic/history${query}`)).body.since)) /
            3_600_000,
        )
      assert.deepEqual([await hours(''), await hours('?hours=2'), await hours('?hours=99999')], [24, 2, 8760])
      const { status, error } = await client.get('/routes/1/traffic/history?hours=x')
      assert.deepEqual([status, error.code, error.field], [422, 'VALIDATION_FAILED', 'hours'])
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

    it('connections are 200 by default', async () => {
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
        'detail_message',
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
    it('the share of connections that are tracked is in percent, and null if the kernel tracks none', async () => {
      kernel.forwarding.conntrack = { count: 1, max: 8 }
      Object.assign(kernel.forwarding.live, { conntrack_acct: true, conntrack_timestamp: true })
      const shown = async (): Promise<ForwardingAnswer['forwarding']> => (await forwarding(client)).body.forwarding
      assert.equal((await shown()).conntrack_usage_percent, 12.5)
      kernel.forwarding.conntrack = null
      const { conntrack_count, conntrack_max, conntrack_usage_percent } = await shown()
      assert.deepEqual([conntrack_count, conntrack_max, conntrack_usage_percent], [null, null, null])
    })

    it('enable and revert answer with action, forwarding, warnings and a note', async () => {
      for (const body of [{}, { revert: true }, { revert: true }]) {
        const answer = (await enableForwarding(client, body)).body
        has(answer, 'action', 'forwarding', 'warnings', 'note', 'note_message')
        assert.notEqual(answer.note, '')
      }
    })

    it('a rule whose change could not be undone is Inconsistent in a reconciliation, and each rule has just its fields', async () => {
      await madeRoute(client)
      await panel.db
        .updateTable('route_rule')
        .set({
          apply_status_id: APPLY_STATUSES.Inconsistent,
          last_apply_error_message: JSON.stringify(verbatim('no room')),
        })
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
        'detail_message',
        'actions',
        'expected_rules',
        'heal',
        'installed_rules',
        'diffs',
        'shadows',
        'covered_by',
      )
      has(
        route_findings,
        'backend',
        'readable',
        'detail',
        'detail_message',
        'enabled_rules',
        'ip_forwarding_enabled',
        'ip_forwarding_expected',
        'ip_forwarding_panel_managed',
        'missing_jumps',
        'foreign_readable',
        'foreign_managers',
        'foreign_shadows',
        'foreign_shadow_messages',
        'notes',
        'note_messages',
      )
    })
  })
})
