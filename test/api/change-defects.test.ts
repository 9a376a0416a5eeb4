// Changes that cannot be stored, or that root refuses half-way: the host is put back, and the store says what is true
// (decisions.md, S1).
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { FakeKernel } from '../support/fake-kernel.ts'
import { HelperRefusal, inProcessHelper } from '../support/in-process-helper.ts'
import { quietly } from '../support/quietly.ts'
import type { Client } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { actOnRoute, deleteRoute, getRoute, listRoutes, madeRoute, patchRoute, reorder } from './support/routes.ts'
import { codesOf, createTunnel, deleteTunnel, getTunnel } from './support/tunnels.ts'

describe('A change whose record cannot be written', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  const refuseWrites = (of: string): Promise<unknown> =>
    sql`${sql.raw(`create trigger no_room before ${of} begin select raise(abort, 'disk full'); end`)}`.execute(panel.db)

  it('of a deleted tunnel is taken back: the link is there, and the tunnel is stored as it was', async () => {
    await createTunnel(client)
    const picture = panel.kernel.picture()
    await refuseWrites('update of deleted_date on tunnel')
    assert.equal((await deleteTunnel(client, 1)).status, 500)
    assert.equal(panel.kernel.picture(), picture)
    assert.equal((await getTunnel(client, 1)).body.apply_status, 'Applied')
  })

  it('of a deleted rule is taken back: the kernel holds it, and it is healthy', async () => {
    await madeRoute(client)
    await refuseWrites('update of deleted_date on route_rule')
    assert.equal((await deleteRoute(client, 1)).status, 500)
    assert.deepEqual([...panel.kernel.rulesets.rules.keys()], [1])
    assert.equal((await getRoute(client, 1)).body.health.state, 'healthy')
  })

  it('of a new order is taken back: the kernel holds the order that is stored', async () => {
    for (const bind_port of [1, 2]) await madeRoute(client, { bind_port })
    const held = JSON.stringify([...panel.kernel.rulesets.rules])
    await refuseWrites('update of sort_order on route_rule')
    assert.equal((await reorder(client, [2, 1])).status, 500)
    assert.equal(JSON.stringify([...panel.kernel.rulesets.rules]), held)
    const states = (await listRoutes(client)).body.routes.map(({ health }) => health.state)
    assert.deepEqual(states, ['healthy', 'healthy'])
  })
})

describe('A change of a rule', () => {
  it('is published once the store holds it', async () => {
    const panel = await startPanel()
    const client = await panel.setUp()
    await madeRoute(client)
    const stored: Promise<{ destination_port: number }>[] = []
    panel.bus.subscribe('routes.changed', () => {
      const rows = panel.db.selectFrom('route_destination').select('port as destination_port')
      stored.push(rows.executeTakeFirstOrThrow())
    })
    assert.equal((await patchRoute(client, 1, { destination_port: 9000 })).status, 200)
    const last = await stored.at(-1)
    assert.equal(last?.destination_port, 9000)
    assert.equal((await stored[0])?.destination_port, 9000)
    await panel.close()
  })

  it('leaves a rule alone that is missing from the kernel for another reason', async () => {
    const panel = await startPanel()
    const client = await panel.setUp()
    for (const bind_port of [5, 7]) await madeRoute(client, { bind_port })
    panel.kernel.rulesets.flush()
    assert.equal((await actOnRoute(client, 1, 'reapply')).status, 200)
    assert.deepEqual([...panel.kernel.rulesets.rules.keys()], [1])
    assert.equal((await getRoute(client, 2)).body.health.state, 'failed')
    await panel.close()
  })
})

describe('POST /tunnels', () => {
  it('sends root three requests: what the host has, the change, and what stands there now', async () => {
    const helper = inProcessHelper(new FakeKernel())
    const panel = await startPanel({ request: requestThrough(helper.request) })
    const client = await panel.setUp()
    helper.requested.length = 0
    assert.equal((await createTunnel(client)).status, 201)
    assert.deepEqual(helper.requested, ['host.probe', 'tunnel.apply', 'link.probe'])
    await panel.close()
  })
})

describe('PATCH /routes/{id}', () => {
  quietly()
  const LISTENER = { protocol: 'tcp', address: '0.0.0.0', port: 444, process: 'nginx', is_sshd: false } as const
  const started = async () => {
    const kernel = new FakeKernel()
    const helper = inProcessHelper(kernel)
    const panel = await startPanel({ request: requestThrough(helper.request) })
    const client = await panel.setUp()
    await madeRoute(client)
    let [looked, isAway] = [0, false]
    Object.defineProperty(kernel, 'hostListeners', {
      get: () => {
        looked += 1
        if (isAway) throw new HelperRefusal(5, 'no answer')
        return [LISTENER]
      },
    })
    helper.requested.length = 0
    return { panel, client, helper, looked: () => looked, goAway: () => (isAway = true) }
  }

  it('sends root nine requests, the last three for what its plan foresees, and looks for no listeners where the rule goes on listening as it did', async () => {
    const { panel, client, helper, looked } = await started()
    const form = { destination_port: 9000, bind_port: 443, route_protocol_id: 10, is_enabled: true }
    assert.equal((await patchRoute(client, 1, form)).status, 200)
    assert.deepEqual(helper.requested, [
      'host.probe',
      'forwarding.probe',
      'ruleset.probe',
      'ruleset.apply',
      'forwarding.probe',
      'netfilter.probe',
      'route.lookup',
      'host.probe',
      'forwarding.probe',
    ])
    assert.equal(looked(), 0)
    await panel.close()
  })

  it('finds who listens on a port that is new to the rule', async () => {
    const { panel, client, looked } = await started()
    assert.deepEqual(codesOf(await patchRoute(client, 1, { bind_port: 444 })), { bind_port: 'PORT_IN_USE' })
    assert.equal(looked(), 1)
    await panel.close()
  })

  it('is refused where it cannot be known who listens on its new port', async () => {
    const { panel, client, goAway } = await started()
    goAway()
    assert.equal((await patchRoute(client, 1, { bind_port: 445 })).status, 500)
    await panel.close()
  })
})
