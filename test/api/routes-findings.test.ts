// How the kernel's rules stand to the stored ones, for a reconciliation and in the health of each rule (reference.md,
// Reconcile; decisions.md, S7, S11).
import assert from 'node:assert/strict'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { RouteFindings } from '@panel/shared/api/routes/findings.ts'
import { routeFindings } from '@panel/web-daemon/features/rule-health/findings.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import {
  actOnRoute,
  applyAll,
  deleteRoute,
  enableForwarding,
  getRoute,
  madeRoute,
  patchRoute,
} from './support/routes.ts'

import { idleHeals } from './support/heals.ts'

describe('What is found of the rules', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())
  const find = (): Promise<RouteFindings> =>
    routeFindings(
      { db: panel.db, request: requestThrough(inProcessHelper(panel.kernel).request) },
      idleHeals(panel.settings),
    )
  const statuses = async (): Promise<[number, string][]> =>
    (await find()).routes.map(({ route_rule_id, status }) => [route_rule_id, status])

  it('is InSync, Drifted, Missing, Inconsistent or Unmanaged, counted by status', async () => {
    for (const bind_port of [1001, 1002, 1003, 1004, 1005]) await madeRoute(client, { bind_port })
    await actOnRoute(client, 5, 'disable')
    const { rules } = panel.kernel.rulesets
    rules.set(2, { ...rules.get(2)!, nat_mode: 'none' })
    rules.set(99, { ...rules.get(4)!, route_rule_id: 99, bind_port: 9 })
    rules.delete(3)
    panel.kernel.rulesets.damaged = [{ route_rule_id: 4, detail: 'its counter is missing' }]
    rules.delete(4)
    const { routes, route_counts, route_findings } = await find()
    assert.deepEqual(await statuses(), [
      [1, 'InSync'],
      [2, 'Drifted'],
      [3, 'Missing'],
      [4, 'Drifted'],
      [5, 'InSync'],
      [99, 'Unmanaged'],
    ])
    assert.deepEqual(route_counts, { InSync: 2, Drifted: 2, Missing: 1, Unmanaged: 1 })
    assert.deepEqual(routes[1]?.diffs, [{ field: 'nat_mode', desired: 'masquerade', actual: 'none' }])
    assert.match(routes[3]?.detail ?? '', /counter is missing/)
    assert.deepEqual(
      routes.map(({ expected_rules, installed_rules }) => [expected_rules, installed_rules]),
      [
        [1, 1],
        [1, 1],
        [1, 0],
        [1, 0],
        [0, 0],
        [0, 1],
      ],
    )
    assert.deepEqual(
      [
        route_findings.backend,
        route_findings.readable,
        route_findings.enabled_rules,
        route_findings.ip_forwarding_enabled,
        route_findings.ip_forwarding_expected,
        route_findings.ip_forwarding_panel_managed,
      ],
      ['nftables', true, 4, true, true, true],
    )
    await panel.db
      .updateTable('route_rule')
      .set({ apply_status_id: APPLY_STATUSES.Inconsistent })
      .where('route_rule_id', '=', 1)
      .execute()
    assert.deepEqual((await statuses())[0], [1, 'Inconsistent'])
    await applyAll(client)
    assert.deepEqual((await find()).route_counts, { InSync: 5 })
  })

  it('reports a ruleset that cannot be read, and forwarding that was turned off', async () => {
    await madeRoute(client)
    await enableForwarding(client, { revert: true })
    panel.kernel.rulesets.unreadable = 'nft: Operation not permitted'
    const { routes, route_findings } = await find()
    assert.deepEqual(
      [routes, route_findings.readable, route_findings.ip_forwarding_enabled, route_findings.ip_forwarding_expected],
      [[], false, false, true],
    )
    assert.match(route_findings.detail, /not permitted/)
  })

  it("tells what stands in the panel's table and belongs to no rule, of each rule too, and a reapply takes it out", async () => {
    await madeRoute(client)
    for (const reapply of [() => actOnRoute(client, 1, 'reapply'), () => applyAll(client)]) {
      panel.kernel.rulesets.unmanaged = ['chain prerouting: drop']
      const { route_findings, routes } = await find()
      assert.match(route_findings.notes.join('\n'), /chain prerouting: drop/)
      const { state, detail } = (await getRoute(client, 1)).body.health
      assert.deepEqual([routes[0]?.status, state], ['Drifted', 'impaired'])
      for (const output of [routes[0]?.detail, detail]) assert.match(output ?? '', /chain prerouting: drop/)
      assert.equal((await reapply()).status, 200)
      assert.deepEqual((await getRoute(client, 1)).body.health.state, 'healthy')
    }
  })

  it('reports forwarding that was turned off, of each rule too, and applying all turns it on', async () => {
    await madeRoute(client)
    await enableForwarding(client, { revert: true })
    const { health } = (await getRoute(client, 1)).body
    assert.deepEqual([health.state, /IPv4 forwarding is off/.test(health.detail)], ['impaired', true])
    assert.equal((await applyAll(client)).status, 200)
    assert.deepEqual(
      [panel.kernel.forwarding.live.ipv4, (await getRoute(client, 1)).body.health.state],
      [true, 'healthy'],
    )
    await enableForwarding(client, { revert: true })
    await client.put('/settings', { 'routes.auto_enable_ip_forward': false })
    assert.match((await applyAll(client)).body.note, /IPv4 forwarding is off .* turn IP forwarding on/)
  })

  it('tells a rule that another one shadows, and so does its health', async () => {
    await madeRoute(client, {
      route_rule_title: 'Wide',
      bind_address: '0.0.0.0',
      bind_port: 400,
      bind_port_range_end: 500,
      allowed_sources: [{ cidr: '10.0.0.0/8' }],
    })
    await madeRoute(client, { bind_port: 443, allowed_sources: [{ cidr: '10.1.0.0/16' }] })
    await madeRoute(client, { bind_port: 444 })
    await madeRoute(client, { bind_port: 445, route_protocol_id: 20, allowed_sources: [{ cidr: '10.1.0.0/16' }] })
    assert.deepEqual(
      (await find()).routes.map(({ shadows }) => shadows),
      [[], [1], [], []],
    )
    const shadowed = (await getRoute(client, 2)).body
    assert.match(shadowed.health.detail, /shadowed by Wide/)
    assert.deepEqual(shadowed.shadowed_by, [{ route_rule_id: 1, title: 'Wide' }])
    assert.deepEqual((await getRoute(client, 1)).body.shadowed_by, [])
    await patchRoute(client, 1, { bind_port_range_end: 442 })
    assert.doesNotMatch((await getRoute(client, 2)).body.health.detail, /shadowed/)
    assert.deepEqual((await getRoute(client, 2)).body.shadowed_by, [])
    await patchRoute(client, 1, { bind_port: 443, bind_port_range_end: null })
    assert.match((await getRoute(client, 2)).body.health.detail, /shadowed by Wide/)
  })

  it('tells which rules would take all of a rule wherever they stand, so that an order can be tried on the page', async () => {
    await madeRoute(client, { bind_port: 443 })
    await madeRoute(client, { bind_address: '0.0.0.0', bind_port: 443 })
    const reported = (await find()).routes.map(({ shadows, covered_by }) => ({ shadows, covered_by }))
    assert.deepEqual(reported, [
      { shadows: [], covered_by: [2] },
      { shadows: [], covered_by: [] },
    ])
  })
})

describe('A rule that the kernel holds in part', () => {
  it('is failed with the reason, put right by reapply, and gone without a trace when it is deleted', async () => {
    const panel = await startPanel()
    const client = await panel.setUp()
    const damage = (): void => {
      panel.kernel.rulesets.rules.delete(1)
      panel.kernel.rulesets.damaged = [{ route_rule_id: 1, detail: 'its map element is missing' }]
    }
    await madeRoute(client)
    damage()
    const { health } = (await getRoute(client, 1)).body
    assert.deepEqual([health.state, health.installed], ['failed', false])
    assert.match(health.detail, /map element is missing/)
    assert.equal((await actOnRoute(client, 1, 'reapply')).status, 200)
    assert.deepEqual(panel.kernel.rulesets.damaged, [])
    damage()
    panel.kernel.rulesets.relay(1, { tx_bytes: 9, tx_packets: 1 })
    assert.equal((await deleteRoute(client, 1)).status, 200)
    assert.deepEqual([panel.kernel.rulesets.damaged, panel.kernel.rulesets.counted.size], [[], 0])
    const row = await panel.db.selectFrom('route_total').selectAll().executeTakeFirstOrThrow()
    assert.equal(row.tx_bytes, 9)
    await panel.close()
  })
})
