// What is answered and stored when a change of a rule does not work, cannot be undone, cannot be stored, or when the
// helper is away (decisions.md, S1, section 4).
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { from, onlyAt } from '../support/faulty.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { requestThrough, startPanel } from './support/panel.ts'
import {
  actOnRoute,
  applyAll,
  createRoute,
  deleteRoute,
  getRoute,
  listRoutes,
  madeRoute,
  patchRoute,
  reorder,
} from './support/routes.ts'
import { startFaultyPanel, type FaultyPanel } from './support/tunnels.ts'

describe('A change of a rule that fails', () => {
  let panel: FaultyPanel
  let client: Client
  beforeEach(async () => {
    panel = await startFaultyPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  it('leaves no record of a rule that was to be made: 409 FORWARDING_APPLY_FAILED, and everything is as it was', async () => {
    const picture = panel.host.picture()
    panel.arm(onlyAt(1, 'half'))
    const { status, error } = await createRoute(client)
    assert.deepEqual([status, error.code], [409, 'FORWARDING_APPLY_FAILED'])
    assert.deepEqual([panel.host.picture(), (await listRoutes(client)).body.total], [picture, 0])
    panel.disarm()
    assert.equal((await createRoute(client)).body.route.route_rule_id, 1)
  })

  it('only when it is read back names the checks that failed', async () => {
    panel.arm(onlyAt(1, 'lies'))
    const { status, error } = await createRoute(client)
    assert.deepEqual(
      [status, error.code, (error.details['failures'] as { name: string }[])[0]?.name],
      [409, 'FORWARDING_APPLY_FAILED', '1.exists'],
    )
  })

  it('leaves the rule as it was stored before, marked Failed with the reason, and the earlier ruleset in the kernel', async () => {
    await madeRoute(client)
    const picture = panel.host.picture()
    panel.arm(onlyAt(1, 'refuses'))
    assert.deepEqual([(await patchRoute(client, 1, { destination_port: 9000 })).status], [409])
    panel.disarm()
    const { route, health } = (await getRoute(client, 1)).body
    assert.deepEqual(
      [route.destination_port, route.apply_status, health.state, panel.host.picture()],
      [8443, 'Failed', 'failed', picture],
    )
    assert.match(route.last_apply_error, /Injected fault/)
    assert.equal((await actOnRoute(client, 1, 'reapply')).body.route.apply_status, 'Applied')
    assert.equal((await getRoute(client, 1)).body.route.last_apply_error, '')
  })

  it('and cannot be undone is 409 FORWARDING_RULES_INCONSISTENT with remedies; the rule is stored as Inconsistent, and reapplied or deleted later', async () => {
    panel.arm((requests) => (requests === 1 ? 'half' : 'refuses'))
    const { status, error } = await createRoute(client)
    assert.deepEqual([status, error.code, error.details['route_rule_id']], [409, 'FORWARDING_RULES_INCONSISTENT', 1])
    assert((error.details['remediation'] as string[]).length > 0)
    panel.disarm()
    const { route, health } = (await getRoute(client, 1)).body
    assert.deepEqual([route.apply_status, health.state], ['Inconsistent', 'inconsistent'])
    assert.equal((await actOnRoute(client, 1, 'reapply')).body.route.apply_status, 'Applied')
    assert.equal((await deleteRoute(client, 1)).status, 200)
    assert.equal(panel.host.rulesets.rules.size, 0)
  })

  it('in deleting leaves the rule', async () => {
    await madeRoute(client)
    panel.arm(from(1, 'refuses'))
    assert.equal((await deleteRoute(client, 1)).status, 409)
    panel.disarm()
    assert.deepEqual([(await getRoute(client, 1)).body.health.state, panel.host.rulesets.rules.size], ['failed', 1])
  })

  it('in reordering keeps the order', async () => {
    for (const bind_port of [1, 2]) await madeRoute(client, { bind_port })
    panel.arm(onlyAt(1, 'refuses'))
    assert.deepEqual([(await reorder(client, [2, 1])).error.code], ['FORWARDING_APPLY_FAILED'])
    assert.deepEqual(
      (await listRoutes(client)).body.routes.map(({ route }) => route.route_rule_id),
      [1, 2],
    )
  })

  it('in applying all marks every rule', async () => {
    for (const bind_port of [1, 2]) await madeRoute(client, { bind_port })
    panel.host.rulesets.flush()
    panel.arm(onlyAt(1, 'refuses'))
    assert.equal((await applyAll(client)).error.code, 'FORWARDING_APPLY_FAILED')
    panel.disarm()
    assert.deepEqual(
      (await listRoutes(client)).body.routes.map(({ route }) => route.apply_status),
      ['Failed', 'Failed'],
    )
    assert.equal((await applyAll(client)).body.rules_applied, 2)
    assert.deepEqual(
      (await listRoutes(client)).body.routes.map(({ health }) => health.state),
      ['healthy', 'healthy'],
    )
  })

  it('in turning IP forwarding on leaves the rule in force, and warns', async () => {
    // Behind the kernel's rule and the file that boot reads.
    panel.arm((requests) => (requests === 3 ? 'refuses' : null))
    const { status, body } = await createRoute(client)
    assert.deepEqual(
      [
        status,
        body.route.apply_status,
        body.warnings.find(({ code }) => code === 'IP_FORWARDING_OFF')?.message.includes('Injected fault'),
      ],
      [201, 'Applied', true],
    )
  })

  it('in storing is taken out of the kernel again', async () => {
    await sql`create trigger no_room before update of apply_status_id on route_rule begin select raise(abort, 'disk full'); end`.execute(
      panel.db,
    )
    const { status, error } = await createRoute(client)
    assert.deepEqual(
      [status, error.code, panel.host.rulesets.rules.size, (await listRoutes(client)).body.total],
      [500, 'INTERNAL_ERROR', 0, 0],
    )
    assert(panel.host.changes.includes('ruleset - +1'))
  })

  it('in storing a change puts the kernel back to what is stored', async () => {
    await madeRoute(client)
    await sql`create trigger no_room before insert on route_destination begin select raise(abort, 'disk full'); end`.execute(
      panel.db,
    )
    assert.equal((await patchRoute(client, 1, { destination_port: 9000 })).status, 500)
    assert.deepEqual(
      [panel.host.rulesets.rules.get(1)?.destinations[0]?.port, (await getRoute(client, 1)).body.health.state],
      [8443, 'healthy'],
    )
  })

  it('in storing a reapply of rules that were taken away by hand does not make root forget them', async () => {
    for (const bind_port of [1, 2]) await madeRoute(client, { bind_port })
    await sql`create trigger no_room before update of apply_status_id on route_rule when new.apply_status_id = 20 begin select raise(abort, 'disk full'); end`.execute(
      panel.db,
    )
    const { rulesets } = panel.host
    for (const change of [() => applyAll(client), () => patchRoute(client, 1, { destination_port: 9 })]) {
      const kept = structuredClone(rulesets.boot)
      rulesets.flush()
      assert.equal((await change()).status, 500)
      assert.deepEqual(rulesets.boot, kept)
    }
  })
})

describe('While the helper is away', () => {
  it('rules are read from the store with an unknown health, and none is changed: 503 HELPER_UNAVAILABLE', async () => {
    const helper = inProcessHelper(new FakeKernel())
    let isAway = false
    const request: Writer = (method, params) => {
      if (isAway) throw helperAway('gone')
      return requestThrough(helper.request)(method, params)
    }
    const panel = await startPanel({ request: async (method, params) => request(method, params) })
    const client = await panel.setUp()
    await madeRoute(client)
    isAway = true
    const { status, body } = await listRoutes(client)
    assert.deepEqual([status, body.routes[0]?.health.state, body.routes[0]?.health.installed], [200, 'pending', null])
    for (const reply of [
      await createRoute(client, { bind_port: 1 }),
      await actOnRoute(client, 1, 'disable'),
      await deleteRoute(client, 1),
    ])
      assert.deepEqual([reply.status, reply.error.code], [503, 'HELPER_UNAVAILABLE'])
    isAway = false
    assert.equal((await actOnRoute(client, 1, 'reapply')).status, 200)
    await panel.close()
  })

  it('a rule is not deleted where it cannot be seen whether the kernel holds it', async () => {
    const panel = await startPanel()
    const client = await panel.setUp()
    await madeRoute(client)
    panel.kernel.rulesets.unreadable = 'nft: Operation not permitted'
    const { status, error } = await deleteRoute(client, 1)
    assert.deepEqual([status, error.code], [503, 'SERVICE_UNAVAILABLE'])
    panel.kernel.rulesets.unreadable = ''
    assert.deepEqual(
      [panel.kernel.rulesets.rules.size, (await deleteRoute(client, 1)).status, panel.kernel.rulesets.rules.size],
      [1, 200, 0],
    )
    await panel.close()
  })

  it('a change that worked stands even where the traffic cannot be saved', async () => {
    const panel = await startPanel()
    const client = await panel.setUp()
    await madeRoute(client)
    panel.kernel.rulesets.relay(1, { tx_bytes: 5, tx_packets: 1 })
    await sql`create trigger no_room before insert on route_total begin select raise(abort, 'disk full'); end`.execute(
      panel.db,
    )
    assert.equal((await actOnRoute(client, 1, 'disable')).status, 200)
    await sql`drop trigger no_room`.execute(panel.db)
    await panel.traffic.save()
    assert.equal((await getRoute(client, 1)).body.tx_bytes_since_creation, 5)
    assert.equal((await panel.db.selectFrom('route_total').select('tx_bytes').executeTakeFirstOrThrow()).tx_bytes, 5)
    await panel.close()
  })

  it('a kernel whose ruleset cannot be read leaves the health pending, with the reason', async () => {
    const panel = await startPanel()
    const client = await panel.setUp()
    await madeRoute(client)
    panel.kernel.rulesets.unreadable = 'nft: Operation not permitted'
    const { health } = (await getRoute(client, 1)).body
    assert.deepEqual([health.state, health.installed], ['pending', null])
    assert.match(health.detail, /not permitted/)
    await panel.close()
  })
})
