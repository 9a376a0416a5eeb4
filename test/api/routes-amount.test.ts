// All relay rules together take no more of the kernel's table than root can read (decisions.md, F3).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createRoute } from './support/routes.ts'

/** A thousand ports, shifted for each of 64 destinations: almost half of what there may be. */
const wide = (bind_port: number): object => ({
  bind_port,
  bind_port_range_end: bind_port + 999,
  destination_address: undefined,
  destination_port: undefined,
  destinations: Array.from({ length: 64 }, (_, at) => ({ address: `10.9.1.${at + 1}`, port: bind_port + 1 })),
})

describe('The relay rules of a host', () => {
  let panel: TestPanel
  let operator: Client
  before(async () => {
    panel = await startPanel()
    operator = await panel.setUp()
    for (const port of [10_000, 12_000]) assert.equal((await createRoute(operator, wide(port))).status, 201)
  })
  after(() => panel.close())

  it('may not shift more ports together than the table can hold: 422 on the range, and nothing is stored', async () => {
    const { status, error } = await createRoute(operator, wide(14_000))
    assert.deepEqual([status, error.field], [422, 'bind_port_range_end'])
    assert.match(error.message, /all rules together would take 192192 elements.*131072 are the most/)
    assert.equal((await operator.get<{ total: number }>('/routes')).body.total, 2)
  })

  it('may be more where some are out of force, which then cannot be enabled', async () => {
    const { status, body } = await createRoute(operator, { ...wide(14_000), is_enabled: false })
    assert.equal(status, 201)
    const { route_rule_id } = body.route
    const enabled = await operator.post(`/routes/${route_rule_id}/enable`)
    assert.deepEqual([enabled.status, enabled.error.field], [422, 'bind_port_range_end'])
    assert.equal((await operator.post('/routes/1/disable')).status, 200)
    assert.equal((await operator.post(`/routes/${route_rule_id}/enable`)).status, 200)
  })

  it('can be changed where that takes no more than before', async () => {
    assert.equal((await operator.patch('/routes/2', { is_logging_enabled: true })).status, 200)
  })

  it('may be plain ones beside them', async () => {
    assert.equal((await createRoute(operator, { bind_port: 20_000 })).status, 201)
  })
})
