// Sentences about relay rules that hold across endpoints: who may ask, what is written down, what a health is made of,
// what a preview may do (reference.md; decisions.md, T11, S7, S11, U2).
import assert from 'node:assert/strict'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { DuplicateRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { RouteTrafficAnswer } from '@panel/shared/api/routes/traffic.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper, type InProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import {
  actOnRoute,
  addDestination,
  addSource,
  applyAll,
  createRoute,
  deleteRoute,
  duplicateRoute,
  enableForwarding,
  getRoute,
  listRoutes,
  madeRoute,
  patchRoute,
  previewRoute,
  removeDestination,
  removeSource,
  reorder,
  warningCodes,
} from './support/routes.ts'
import { act, createTunnel } from './support/tunnels.ts'

describe('What holds of all relay rules', () => {
  let kernel: FakeKernel
  let helper: InProcessHelper
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    kernel = new FakeKernel()
    helper = inProcessHelper(kernel)
    panel = await startPanel({ request: requestThrough(helper.request) })
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  const routed = (path: RegExp): [string, string][] =>
    panel.endpoints.map(({ route }) => route.split(' ') as [string, string]).filter((one) => path.test(one[1]))

  it('every endpoint needs a session, and a mutating one the CSRF header before that', async () => {
    const ours = routed(/^\/(?:routes|system\/forwarding)/)
    assert.equal(ours.length, 34)
    for (const [method, path] of ours) {
      const { status } = await panel.visitor().api(method, path.replaceAll(/\{\w+\}/g, '1'))
      assert.equal(status, method === 'GET' ? 401 : 403, `${method} ${path}`)
    }
  })

  it('a rule that is not there, or was deleted, is 404 in every request', async () => {
    await madeRoute(client)
    await deleteRoute(client, 1)
    const bodies: Readonly<Record<string, object>> = {
      'POST /routes/{id}/destinations': { address: '10.9.0.3', port: 1 },
      'DELETE /routes/{id}/destinations': { address: '10.9.0.3', port: 1 },
      'POST /routes/{id}/allowed-sources': { cidr: '10.0.0.0/8' },
      'DELETE /routes/{id}/allowed-sources': { cidr: '10.0.0.0/8' },
    }
    for (const [method, path] of routed(/^\/routes\/\{id\}/)) {
      for (const id of ['1', '99', 'x']) {
        const { status, error } = await client.api(method, path.replaceAll(/\{\w+\}/g, id), bodies[`${method} ${path}`])
        assert.deepEqual([status, error.code], [404, 'NOT_FOUND'], `${method} ${path} ${id}`)
      }
    }
  })

  it('a preview changes nothing and starts no program: it asks root for nothing that does', async () => {
    await madeRoute(client)
    const before = helper.requested.length
    const { status, text } = await previewRoute(client, { bind_port: 444 })
    assert.equal(status, 200, text)
    const requests = new Set(helper.requested.slice(before))
    for (const method of [
      'ruleset.probe',
      'ruleset.verify',
      'ruleset.apply',
      'ruleset.counters',
      'netfilter.probe',
      'forwarding.apply',
    ])
      assert(!requests.has(method as never), method)
  })

  it('the whole ruleset is applied as one transaction: making, changing, reordering and applying all are one change of the kernel each', async () => {
    const submitted = (): number => kernel.changes.filter((what) => what.startsWith('ruleset ')).length
    const one = async (work: () => Promise<unknown>): Promise<void> => {
      const before = submitted()
      await work()
      assert.equal(submitted() - before, 1)
    }
    await one(() => madeRoute(client))
    await one(() => madeRoute(client, { bind_address: '0.0.0.0' }))
    await one(() => patchRoute(client, 1, { destination_port: 1 }))
    await one(() => reorder(client, [2, 1]))
    kernel.rulesets.flush()
    await one(() => applyAll(client))
    await one(() => deleteRoute(client, 1))
  })

  it('each mutation is in the audit log under its name; a preview and a reachability test are not', async () => {
    await madeRoute(client)
    await patchRoute(client, 1, { description: 'x' })
    await actOnRoute(client, 1, 'disable')
    await actOnRoute(client, 1, 'enable')
    await actOnRoute(client, 1, 'reapply')
    await duplicateRoute(client, 1)
    await reorder(client, [2, 1])
    await applyAll(client)
    await addDestination(client, 1, { address: '10.9.0.3', port: 1 })
    await removeDestination(client, 1, { address: '10.9.0.3', port: 1 })
    await addSource(client, 1, { cidr: '10.0.0.0/8' })
    await removeSource(client, 1, { cidr: '10.0.0.0/8' })
    await enableForwarding(client)
    await deleteRoute(client, 2)
    await createRoute(client, { bind_port: 0 })
    await previewRoute(client, { bind_port: 444 })
    await client.post('/routes/diagnostics/test', { address: '127.0.0.1', port: 1, protocol: 'tcp' })
    const { entries } = (
      await client.get<{ entries: { action: string; target_id: number | null; is_success: boolean }[] }>(
        '/audit?limit=100',
      )
    ).body
    const reported = entries
      .reverse()
      .filter(({ action }) => !['Setup', 'Login'].includes(action))
      .map(({ action, target_id, is_success }) => `${action} ${target_id ?? '-'} ${is_success ? 'ok' : 'refused'}`)
    assert.deepEqual(reported, [
      'RouteCreate 1 ok',
      'RouteUpdate 1 ok',
      'RouteDisable 1 ok',
      'RouteEnable 1 ok',
      'RouteReapply 1 ok',
      'RouteCreate 2 ok',
      'RouteReorder - ok',
      'RouteReapply - ok',
      'RouteUpdate 1 ok',
      'RouteUpdate 1 ok',
      'RouteUpdate 1 ok',
      'RouteUpdate 1 ok',
      'ForwardingEnable - ok',
      'RouteDelete 2 ok',
      'RouteCreate - refused',
    ])
  })

  it('health is judged in its order: disabled, inconsistent, failed, pending, unreadable, not installed, tunnel not up, healthy', async () => {
    await createTunnel(client)
    await madeRoute(client, { tunnel_id: 1 })
    const is = async (state: string): Promise<void> =>
      assert.equal((await getRoute(client, 1)).body.health.state, state)
    const status = async (apply_status_id: number): Promise<void> =>
      void (await panel.db.updateTable('route_rule').set({ apply_status_id }).execute())
    await is('healthy')
    await act(client, 1, 'down')
    await is('impaired')
    kernel.rulesets.flush()
    await is('failed')
    kernel.rulesets.unreadable = 'no'
    await is('pending')
    await status(APPLY_STATUSES.Pending)
    kernel.rulesets.unreadable = ''
    await is('pending')
    await status(APPLY_STATUSES.Failed)
    await is('failed')
    await status(APPLY_STATUSES.Inconsistent)
    await is('inconsistent')
    await panel.db.updateTable('route_rule').set({ is_enabled: 0 }).execute()
    await is('disabled')
  })

  it('the route half of a reconciliation offers reapply and delete for a rule, and nothing for what has no row', async () => {
    await madeRoute(client)
    await madeRoute(client, { bind_port: 444, is_enabled: false })
    const stray = kernel.rulesets.rules.get(1)
    assert.ok(stray)
    await kernel.rulesets.submit([], [{ ...stray, route_rule_id: 77, bind_port: 999 }])
    kernel.rulesets.edit(1, { nat_mode: 'none' })
    const { routes, route_counts, route_findings: found } = (await client.get<ReconcileAnswer>('/reconcile')).body
    assert.deepEqual(
      routes.map(({ route_rule_id, status, actions, expected_rules, installed_rules }) => [
        route_rule_id,
        status,
        actions,
        expected_rules,
        installed_rules,
      ]),
      [
        [1, 'Drifted', ['reapply', 'delete'], 1, 1],
        [2, 'InSync', ['reapply', 'delete'], 0, 0],
        [77, 'Unmanaged', [], 0, 1],
      ],
    )
    assert.deepEqual(routes[0]?.diffs, [{ field: 'nat_mode', desired: 'masquerade', actual: 'none' }])
    assert.deepEqual(route_counts, { Drifted: 1, InSync: 1, Unmanaged: 1 })
    assert.deepEqual(
      [
        found.backend,
        found.readable,
        found.enabled_rules,
        found.ip_forwarding_enabled,
        found.ip_forwarding_expected,
        found.ip_forwarding_panel_managed,
      ],
      ['nftables', true, 1, true, true, true],
    )
    await actOnRoute(client, 1, 'reapply')
    assert.equal((await client.get<ReconcileAnswer>('/reconcile')).body.routes[0]?.status, 'InSync')
  })

  it('duplicates have free names, one after the other, and say why they are disabled', async () => {
    await madeRoute(client, { route_rule_title: 'Web' })
    const copies: DuplicateRouteAnswer[] = []
    for (let i = 0; i < 3; i += 1) copies.push((await duplicateRoute(client, 1)).body)
    assert.deepEqual(
      copies.map(({ route }) => [route.route_rule_title, route.is_enabled]),
      [
        ['Web (copy)', false],
        ['Web (copy 2)', false],
        ['Web (copy 3)', false],
      ],
    )
    assert.match(copies[0]?.note ?? '', /disabled/)
  })

  it('a list has at most a thousand rules a page, and a hundred where nobody says', async () => {
    assert.deepEqual(
      [
        (await listRoutes(client)).body.limit,
        (await listRoutes(client, '?limit=5000')).body.limit,
        (await listRoutes(client, '?limit=-1&offset=x')).body.limit,
      ],
      [100, 1000, 100],
    )
  })

  it('the live traffic has as many points as requested, and none before there are two samples', async () => {
    await madeRoute(client)
    const points = async (count: number): Promise<number> =>
      (await client.get<RouteTrafficAnswer>(`/routes/1/traffic?points=${count}`)).body.points.length
    assert.equal(await points(10), 0)
    for (let i = 0; i < 5; i += 1) {
      panel.clock.advance(1)
      await panel.traffic.sample()
    }
    assert.deepEqual([await points(3), await points(100)], [3, 4])
  })

  it('no relay rule can cut the operator off, so the field that accepts it is taken and never required', async () => {
    const word = { i_understand_i_may_lose_access: true }
    assert.equal((await createRoute(client, word)).status, 201)
    assert.equal((await patchRoute(client, 1, { ...word, description: 'x' })).status, 200)
    assert.equal((await actOnRoute(client, 1, 'disable', word)).status, 200)
    assert.equal((await deleteRoute(client, 1, word)).status, 200)
    await madeRoute(client)
    for (const path of ['/routes/apply-all', '/routes/2/duplicate', '/routes/2/diagnostics/analyze'])
      assert.ok((await client.post(path, word)).status < 300, path)
    const changing = panel.endpoints.filter(({ kind, route }) => kind === 'command' && route.includes(' /routes'))
    assert.ok(changing.length > 12)
    for (const { route, body } of changing)
      assert.ok(Object.hasOwn((body?.['properties'] ?? {}) as object, 'i_understand_i_may_lose_access'), route)
  })

  it('warnings of connection tracking come where they matter: nearly full with each rule that is made, bytes that are not counted with forwarding', async () => {
    kernel.forwarding.conntrack = { count: 99, max: 100 }
    assert.deepEqual(
      warningCodes(await createRoute(client)).filter((code) => code.startsWith('CONNTRACK')),
      ['CONNTRACK_NEARLY_FULL'],
    )
    const shown = await client.get<{ warnings: { code: string; message: string }[] }>('/system/forwarding')
    assert.deepEqual(warningCodes(shown), ['CONNTRACK_NEARLY_FULL', 'CONNTRACK_ACCT_OFF'])
    assert.match(shown.body.warnings[1]?.message ?? '', /nf_conntrack_acct/)
  })
})
