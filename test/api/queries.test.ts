// Parameters of a query that are not of their kind (decisions.md, W15, W21).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createRoute, SMALLEST_RULE } from './support/routes.ts'
import { createTunnel } from './support/tunnels.ts'

describe('A query', () => {
  let panel: TestPanel
  let operator: Client
  before(async () => {
    panel = await startPanel()
    operator = await panel.setUp()
    await createTunnel(operator)
    await createRoute(operator)
  })
  after(() => panel.close())

  for (const [path, field] of [
    ['/routes?is_enabled=no', 'is_enabled'],
    ['/routes?route_protocol_id=tcp', 'route_protocol_id'],
    ['/routes?nat_mode_id=99', 'nat_mode_id'],
    ['/routes?tunnel_id=-1', 'tunnel_id'],
    ['/routes/1/traffic?points=x', 'points'],
    ['/routes/1/traffic/history?hours=0', 'hours'],
    ['/routes/1/traffic/history?from=yesterday', 'from'],
    ['/tunnels?is_enabled=2', 'is_enabled'],
    ['/tunnels?tunnel_type_id=gre', 'tunnel_type_id'],
    ['/tunnels?state=gone', 'state'],
    ['/tunnels/1/counters?sample_seconds=fast', 'sample_seconds'],
    ['/monitor/uptime?hours=25', 'hours'],
    ['/reconcile?include_ignored=ja', 'include_ignored'],
    ['/backup/export?include_routes=none', 'include_routes'],
    ['/audit?success=maybe', 'success'],
    ['/audit?user_id=me', 'user_id'],
    ['/diagnostics/runs?type=magic', 'type'],
    ['/pools/1/next-free?prefix_length=x', 'prefix_length'],
    ['/system/metrics/history?detail=little', 'detail'],
  ] as const)
    it(`is refused with 422 at ${field} if it is ${path}`, async () => {
      const { status, error, text } = await operator.get(path)
      assert.deepEqual([status, error.code, error.field], [422, 'VALIDATION_FAILED', field], text)
      assert.match(error.message, new RegExp(field))
    })

  it('names all of its parameters that are wrong', async () => {
    const { error } = await operator.get('/routes?is_enabled=no&tunnel_id=x')
    assert.deepEqual(
      (error.details['fields'] as { field: string }[]).map(({ field }) => field),
      ['tunnel_id', 'is_enabled'],
    )
  })

  it('may leave a parameter empty, write words in any case, and page as it likes', async () => {
    for (const path of [
      '/routes?is_enabled=&limit=x&offset=-1',
      '/tunnels?is_enabled=TRUE&state=up',
      '/tunnels?state=10',
    ])
      assert.equal((await operator.get(path)).status, 200, path)
  })
})

describe('A request with an idempotency key', () => {
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    panel = await startPanel()
    operator = await panel.setUp()
  })
  afterEach(() => panel.close())
  const rule = (bind_port: number, more: object = {}) =>
    createRoute(operator, { bind_port, idempotency_key: 'once', ...more })

  it('is answered as before if it is the same, whatever the order of its fields', async () => {
    const first = await rule(80)
    const { idempotency_key, ...body } = { ...SMALLEST_RULE, bind_port: 80, idempotency_key: 'once' }
    const again = await operator.post('/routes', {
      idempotency_key,
      ...Object.fromEntries(Object.entries(body).reverse()),
    })
    assert.deepEqual([first.status, again.status, again.text], [201, 201, first.text])
  })

  it('is refused with 422 if another body comes under the key, and nothing is made of it', async () => {
    assert.equal((await rule(80)).status, 201)
    const { status, error } = await rule(81)
    assert.deepEqual([status, error.code, error.field], [422, 'VALIDATION_FAILED', 'idempotency_key'])
    const { body } = await operator.get<{ total: number }>('/routes')
    assert.equal(body.total, 1)
    assert.equal((await rule(81, { idempotency_key: 'twice' })).status, 201)
  })
})
