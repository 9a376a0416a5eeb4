// An import into an empty panel makes it the same as the one that was exported (reference.md, POST /backup/import;
// decisions.md, B3 to B5).
import assert from 'node:assert/strict'
import type { BackupDocument } from '@panel/shared/api/backup.ts'
import { SETTING_KEYS } from '@panel/web-daemon/features/settings/definitions.ts'
import { exportOf, furnish, importInto, withoutIds } from './support/backup.ts'
import type { Client } from './support/client.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'
import { createTunnel, listTunnels } from './support/tunnels.ts'

describe('An import into an empty panel', () => {
  let source: TestPanel
  let backup: BackupDocument
  let panel: TestPanel
  let operator: Client
  before(async () => {
    source = await startPanel()
    const first = await source.setUp()
    await furnish(first)
    backup = await exportOf(first)
  })
  after(() => source.close())
  beforeEach(async () => {
    panel = await startPanel()
    operator = await panel.setUp()
  })
  afterEach(() => panel.close())

  it('makes it the same: its own export is equal but for when and where it was made, and ids', async () => {
    const reply = await importInto(operator, backup)
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(
      [reply.body.dry_run, reply.body.counts.failed],
      [false, 0],
      JSON.stringify(reply.body.actions.filter(({ error }) => error)),
    )
    assert.deepEqual(withoutIds(await exportOf(operator)), withoutIds(backup))
  })

  it('has the kernel hold what it held on the other one', async () => {
    await importInto(operator, backup)
    assert.equal(panel.kernel.picture(), source.kernel.picture())
  })

  it('tells of each item in order: settings, pools, tunnels, routes', async () => {
    const { body } = await importInto(operator, backup)
    const kinds = [
      ...new Set(body.actions.filter(({ target }) => target !== 'addressing.default_pool_id').map(({ kind }) => kind)),
    ]
    assert.deepEqual(kinds, ['setting', 'pool', 'tunnel', 'route'])
    assert.equal(body.actions.length, SETTING_KEYS.length + 5 + 4 + 2)
    assert.equal(
      Object.values(body.counts).reduce((a, b) => a + b),
      body.actions.length,
    )
    for (const action of body.actions)
      assert.deepEqual(Object.keys(action).sort(), [
        'action',
        'detail',
        'detail_message',
        'error',
        'kind',
        'target',
        'target_id',
        'warnings',
      ])
  })

  it('knows pools by range and tunnels by name, never by the ids of another machine', async () => {
    await operator.post('/pools', { address_pool_title: 'In the way', cidr: '10.66.0.0/16', prefix_length: 30 })
    assert.equal(
      (await createTunnel(operator, { interface_name: 'other', tunnel_number: 99, remote_endpoint: '198.51.100.99' }))
        .status,
      201,
    )
    await importInto(operator, backup)
    const { body } = await operator.get<{ pools: { address_pool_id: number; cidr: string }[] }>('/pools')
    const mine = body.pools.find(({ cidr }) => cidr === '10.77.0.0/16')?.address_pool_id
    const { tunnels } = (await listTunnels(operator)).body
    assert.notEqual(mine, backup.pools.find(({ cidr }) => cidr === '10.77.0.0/16')?.address_pool_id)
    assert.equal(tunnels.find(({ display_name }) => display_name === 'first')?.address_pool_id, mine)
    assert.equal(panel.settings.get('addressing.default_pool_id'), mine)
    const { routes } = (
      await operator.get<{ routes: { route: { route_rule_title: string; tunnel_id: number } }[] }>('/routes')
    ).body
    const second = backup.tunnels[1]?.interface_name
    assert.equal(
      routes.find(({ route }) => route.route_rule_title === 'web')?.route.tunnel_id,
      tunnels.find(({ interface_name }) => interface_name === second)?.tunnel_id,
    )
  })

  it('done once more skips everything, and changes nothing', async () => {
    await importInto(operator, backup)
    const [before, held] = [await exportOf(operator), panel.kernel.picture()]
    const { body } = await importInto(operator, backup)
    assert.deepEqual([...new Set(body.actions.map(({ action }) => action))], ['skip'])
    assert.deepEqual({ ...(await exportOf(operator)), exported_at: '' }, { ...before, exported_at: '' })
    assert.equal(panel.kernel.picture(), held)
  })

  it('takes settings as an object too', async () => {
    const settings = Object.fromEntries(backup.settings.map((one) => [one.key, one.value]))
    await importInto(operator, { ...backup, settings })
    assert.deepEqual(withoutIds(await exportOf(operator)), withoutIds(backup))
  })

  it('takes what is wanted of it only', async () => {
    for (const kind of ['setting', 'pool', 'tunnel', 'route'] as const) {
      const without = {
        include_settings: false,
        include_pools: false,
        include_tunnels: false,
        include_routes: false,
        [`include_${kind}s`]: true,
      }
      const { body } = await importInto(operator, backup, { ...without, dry_run: true })
      assert.deepEqual([...new Set(body.actions.map((one) => one.kind))], [kind])
    }
  })

  it('of a backup without relay rules says so', async () => {
    const { routes: _none, ...older } = backup
    assert.match((await importInto(operator, older)).body.note, /no relay rules/)
  })

  it('is recorded as a whole and item by item, with whom and for what', async () => {
    await importInto(operator, backup, {})
    const { entries } = (
      await operator.get<{
        entries: {
          action: string
          username: string
          client_ip: string
          request_id: string
          operations: string[]
          request: { interface_name?: string }
          target_id: number | null
        }[]
      }>('/audit?limit=50')
    ).body
    const whole = entries.find(({ action }) => action === 'BackupImport')
    assert.ok(whole?.operations.includes('create tunnel by-hand'))
    const made = entries.filter(({ action }) => action === 'TunnelCreate')
    assert.deepEqual(
      made.map((one) => [one.username, one.client_ip, one.request_id]),
      made.map(() => [OPERATOR.username, '127.0.0.1', whole?.request_id]),
    )
    assert.deepEqual(
      made.map(({ request }) => request.interface_name).sort(),
      backup.tunnels.map((one) => one.interface_name).sort(),
    )
    assert.ok(made.every(({ target_id, operations }) => target_id !== null && operations.length > 0))
    for (const action of ['SettingUpdate', 'PoolChange', 'RouteCreate'])
      assert.ok(
        entries.some((one) => one.action === action),
        action,
      )
  })
})
