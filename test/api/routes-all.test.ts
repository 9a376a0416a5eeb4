// What concerns all relay rules at once: the order in which they stand, and applying them all (reference.md, Forwarding
// rules; decisions.md, F10, F14).
import assert from 'node:assert/strict'
import { U32_MAX } from '@panel/shared/schema.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import {
  actOnRoute,
  applyAll,
  duplicateRoute,
  listRoutes,
  madeRoute,
  patchRoute,
  previewRoute,
  reorder,
} from './support/routes.ts'

describe('All relay rules', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())
  const held = (id: number) => panel.kernel.rulesets.rules.get(id)
  const listedIds = async () => (await listRoutes(client)).body.routes.map(({ route }) => route.route_rule_id)

  describe('POST /routes/reorder', () => {
    it('sets the emission order, which a new rule joins last; rules that are left out follow as they stood', async () => {
      for (const bind_port of [1001, 1002, 1003, 1004]) await madeRoute(client, { bind_port })
      const { status, body } = await reorder(client, [3, 1])
      assert.deepEqual(
        [status, body.action, body.routes.map(({ route_rule_id }) => route_rule_id)],
        [200, 'reorder', [3, 1, 2, 4]],
      )
      assert.deepEqual(await listedIds(), [3, 1, 2, 4])
      const orders = [3, 1, 2, 4].map((id) => held(id)?.sort_order ?? 0)
      assert.deepEqual([orders, panel.kernel.changes.at(-1)], [[...orders].sort((a, b) => a - b), 'ruleset - +3'])
      assert.equal(
        (await listRoutes(client)).body.routes.every(({ health }) => health.state === 'healthy'),
        true,
      )
    })

    it('goes on where a rule has the last place that there is: new rules follow it, and any order can be set', async () => {
      await madeRoute(client, { bind_port: 1001, sort_order: U32_MAX - 5 })
      await madeRoute(client, { bind_port: 1002 })
      const copy = (await duplicateRoute(client, 1)).body.route.route_rule_id
      await patchRoute(client, copy, { bind_port: 1003 })
      assert.equal((await actOnRoute(client, copy, 'enable')).status, 200)
      await madeRoute(client, { bind_port: 1004 })
      assert.deepEqual(await listedIds(), [1, 2, copy, 4])
      assert.equal((await previewRoute(client, { bind_port: 1005 })).status, 200)
      await reorder(client, [4, 1])
      assert.deepEqual(await listedIds(), [4, 1, 2, copy])
      const orders = [4, 1, 2, copy].map((id) => held(id)?.sort_order ?? -1)
      assert.deepEqual(
        orders,
        [...orders].sort((a, b) => a - b),
      )
    })

    it('refuses unknown ids and ids named twice', async () => {
      await madeRoute(client)
      for (const ids of [[1, 9], [1, 1], [], 'x', [0]])
        assert.deepEqual(
          [(await reorder(client, ids)).status, (await reorder(client, ids)).error.field.split('.')[0]],
          [422, 'route_rule_ids'],
          JSON.stringify(ids),
        )
    })
  })

  describe('POST /routes/apply-all', () => {
    it('applies every enabled rule in one transaction, counts them, and takes out what the panel does not know', async () => {
      for (const bind_port of [1001, 1002, 1003]) await madeRoute(client, { bind_port })
      await actOnRoute(client, 3, 'disable')
      const stray = { ...held(1)!, route_rule_id: 77 }
      panel.kernel.rulesets.flush()
      panel.kernel.rulesets.rules.set(77, stray)
      const changes = panel.kernel.changes.length
      const { status, body } = await applyAll(client)
      assert.deepEqual(
        [status, body.action, body.rules_applied, body.verification.ok, [...panel.kernel.rulesets.rules.keys()].sort()],
        [200, 'apply_all', 2, true, [1, 2]],
      )
      assert.equal(panel.kernel.changes.slice(changes).filter((text) => text.startsWith('ruleset')).length, 1)
      assert.match(body.note, /1 rule unknown to the panel/)
    })

    it('without rules applies none', async () => {
      assert.deepEqual([(await applyAll(client)).status, (await applyAll(client)).body.rules_applied], [200, 0])
    })
  })
})
