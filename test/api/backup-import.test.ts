// What an import makes of a backup: the same panel, or as much of it as can be had (reference.md, POST /backup/import; decisions.md, B3 to B5).
import assert from 'node:assert/strict'
import type { BackupDocument } from '@panel/shared/api/backup.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { SETTING_KEYS } from '@panel/web-daemon/features/settings/definitions.ts'
import { backupOf, became, exportOf, furnish, importInto, withoutIds } from './support/backup.ts'
import type { Client } from './support/client.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'
import { madeRoute } from './support/routes.ts'
import { createTunnel, listTunnels, SMALLEST, startFaultyPanel } from './support/tunnels.ts'

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

describe('An import that cannot be done whole', () => {
  it('tells what failed, with code, message and field, and goes on with the rest', async () => {
    const panel = await startPanel()
    const operator = await panel.setUp()
    await operator.put('/settings', { 'monitor.down_loss_pct': 60 })
    const backup = backupOf({
      settings: { 'monitor.down_loss_pct': 10, 'display.theme': 'dark', 'addressing.default_pool_id': 4711 },
      pools: [
        { address_pool_title: 'Bad', cidr: '10.1.0.0/16', prefix_length: 8 },
        { address_pool_title: 'Good', cidr: '10.2.0.0/16' },
      ],
      tunnels: [
        { ...SMALLEST, remote_endpoint: '127.0.0.1' },
        { ...SMALLEST, address_pool_id: 9 },
        { ...SMALLEST, interface_name: 'good' },
      ],
      routes: [
        { bind_port: Number(new URL(panel.base).port), destination_address: '10.9.0.2' },
        { route_rule_title: 'good', bind_port: 444, destination_address: '10.9.0.2', tunnel_id: 9 },
      ],
    })
    const { status, body } = await importInto(operator, backup)
    assert.equal(status, 200)
    assert.deepEqual(
      body.actions.map(({ kind, action, error }) => [kind, action, error?.code ?? '', error?.field ?? '']),
      [
        ['setting', 'failed', 'VALIDATION_FAILED', 'backup.settings.monitor.down_loss_pct'],
        ['setting', 'update', '', ''],
        ['pool', 'failed', 'VALIDATION_FAILED', 'backup.pools[0].prefix_length'],
        ['pool', 'create', '', ''],
        ['setting', 'failed', 'VALIDATION_FAILED', 'backup.settings.addressing.default_pool_id'],
        ['tunnel', 'failed', 'VALIDATION_FAILED', 'backup.tunnels[0].remote_endpoint'],
        ['tunnel', 'failed', 'VALIDATION_FAILED', 'backup.tunnels[1].address_pool_id'],
        ['tunnel', 'create', '', ''],
        ['route', 'failed', 'PROTECTED_PORT', 'backup.routes[0].bind_port'],
        ['route', 'create', '', ''],
      ],
    )
    assert.deepEqual(body.counts, { create: 3, update: 1, skip: 0, failed: 6, would_create: 0, would_update: 0 })
    for (const { action, error, detail } of body.actions)
      if (action === 'failed') assert.ok(error && error.message !== '' && detail === error.message)
    const { entries } = (
      await operator.get<{ entries: { is_success: boolean; error_message: string }[] }>('/audit?action=TunnelCreate')
    ).body
    assert.deepEqual(
      entries.map(({ is_success }) => is_success),
      [true, false, false],
    )
    await panel.close()
  })

  it('with addresses that are none tells of each, and is no failure of the panel', async () => {
    const panel = await startPanel()
    const operator = await panel.setUp()
    const backup = backupOf({
      pools: [{ address_pool_title: 'Bad', cidr: 'nonsense' }],
      tunnels: [
        {
          local_endpoint: 'here',
          remote_endpoint: 'there',
          ikey: 1,
          addresses: [{ address: 'inside', prefix_length: 30 }],
        },
      ],
      routes: [
        {
          bind_port: 444,
          bind_address: 'here',
          destination_address: 'there',
          nat_mode_id: 20,
          snat_address: 'nowhere',
        },
      ],
    })
    for (const dry_run of [true, false]) {
      const { status, body } = await importInto(operator, backup, { dry_run })
      assert.deepEqual(
        [status, ...body.actions.map(({ error }) => error?.field)],
        [200, 'backup.pools[0].cidr', 'backup.tunnels[0].local_endpoint', 'backup.routes[0].bind_address'],
      )
    }
    await panel.close()
  })

  it('puts back what the kernel does not take, as with a create, and goes on', async () => {
    const panel = await startFaultyPanel()
    const operator = await panel.setUp()
    const picture = panel.host.picture()
    panel.arm((n) => (n === 2 ? 'half' : null))
    const { body } = await importInto(operator, backupOf({ tunnels: [{ ...SMALLEST, interface_name: 'a' }] }))
    assert.deepEqual(
      body.actions.map(({ action, error }) => [action, error?.code]),
      [['failed', 'APPLY_FAILED']],
    )
    assert.equal(panel.host.picture(), picture)
    panel.disarm()
    assert.deepEqual(
      became(await importInto(operator, backupOf({ tunnels: [{ ...SMALLEST, interface_name: 'a' }] })), 'tunnel'),
      { a: 'create' },
    )
    await panel.close()
  })

  it('leaves alone a tunnel with the same name, or the same endpoints and key, and a rule with the same title or listener', async () => {
    const panel = await startPanel()
    const operator = await panel.setUp()
    const { tunnel } = (await createTunnel(operator, { interface_name: 'here', ikey: 5, okey: 5 })).body
    const rule = await madeRoute(operator, { route_rule_title: 'Web', bind_port: 8443 })
    const backup = backupOf({
      tunnels: [
        { ...SMALLEST, interface_name: 'here', remote_endpoint: '198.51.100.8' },
        { tunnel_id: 8, ...SMALLEST, interface_name: 'there', ikey: 5, okey: 6 },
        { ...SMALLEST, interface_name: 'elsewhere', ikey: 6, okey: 6 },
      ],
      routes: [
        { route_rule_title: 'WEB', bind_port: 9000, destination_address: '10.9.0.2' },
        { route_rule_title: 'other', bind_address: '192.0.2.1', bind_port: 8443, destination_address: '10.9.0.9' },
        { route_rule_title: 'new', bind_port: 9001, destination_address: '10.9.0.2', tunnel_id: 8 },
      ],
    })
    for (const dry_run of [true, false]) {
      const { body } = await importInto(operator, backup, { dry_run })
      const create = dry_run ? 'would_create' : 'create'
      assert.deepEqual(
        body.actions.map(({ action }) => action),
        ['skip', 'skip', create, 'skip', 'skip', create],
      )
      assert.deepEqual(
        body.actions.filter(({ action }) => action === 'skip').map(({ target_id }) => target_id),
        [tunnel.tunnel_id, tunnel.tunnel_id, rule.route_rule_id, rule.route_rule_id],
      )
    }
    const { routes } = (
      await operator.get<{ routes: { route: { route_rule_title: string; tunnel_id: number | null } }[] }>('/routes')
    ).body
    assert.equal(routes.find(({ route }) => route.route_rule_title === 'new')?.route.tunnel_id, tunnel.tunnel_id)
    await panel.close()
  })

  it('does not wait for a helper that is away once for every tunnel', async () => {
    let asked = 0
    const panel = await startPanel({
      ask: (async () => {
        asked += 1
        throw new Refusal('HELPER_UNAVAILABLE', 'The root helper does not answer.')
      }) as never,
    })
    const operator = await panel.setUp()
    asked = 0
    const tunnels = Array.from({ length: 50 }, (_, at) => ({
      ...SMALLEST,
      interface_name: `t${at}`,
      remote_endpoint: `198.51.100.${at + 1}`,
    }))
    const { body } = await importInto(operator, backupOf({ settings: { 'display.theme': 'dark' }, tunnels }))
    assert.deepEqual([body.counts.failed, body.counts.update, asked], [50, 1, 2])
    await panel.close()
  })
})
