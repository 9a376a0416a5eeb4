// Sentences about the states of relay rules, about actions on all of them and about deleting that no other test says
// (reference.md, Forwarding rules; decisions.md, section 6, T4, U2).
import assert from 'node:assert/strict'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { actOnRoute, applyAll, deleteRoute, duplicateRoute, madeRoute, patchRoute, reorder } from './support/routes.ts'

const has = (found: object | undefined, ...names: string[]): void =>
  assert.deepEqual(Object.keys(found ?? {}).sort(), [...names].sort())

describe('Each sentence about the states of relay rules', () => {
  let kernel: FakeKernel
  let panel: TestPanel
  let client: Client
  let atApply: () => Promise<void>
  beforeEach(async () => {
    kernel = new FakeKernel()
    atApply = async () => undefined
    const helper = requestThrough(inProcessHelper(kernel).request)
    const request = (async (method: 'ruleset.apply', params: never) => {
      if (method === 'ruleset.apply') await atApply()
      return helper(method, params)
    }) as Writer
    panel = await startPanel({ request })
    client = await panel.setUp()
  })
  afterEach(() => panel.close())
  const held = (id: number) => kernel.rulesets.rules.get(id)

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

    it('reapplying a rule that is disabled leaves it disabled, and takes out what was put in by hand', async () => {
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
        [(await reorder(client, [1])).body, 'action', 'routes', 'note', 'note_message'],
        [(await applyAll(client)).body, 'action', 'rules_applied', 'verification', 'note', 'note_message'],
        [(await duplicateRoute(client, 1)).body, 'route', 'note', 'note_message'],
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
        'note_message',
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
})
