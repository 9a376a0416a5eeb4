// An import that cannot be done whole: what fails is reported, and the rest is done (reference.md, POST /backup/import;
// decisions.md, B3 to B5).
import assert from 'node:assert/strict'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import { backupOf, became, exportOf, importInto } from './support/backup.ts'
import { startPanel } from './support/panel.ts'
import { madeRoute } from './support/routes.ts'
import { createTunnel, SMALLEST, startFaultyPanel } from './support/tunnels.ts'

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

  it('with items that are none fails each of them alone, by its place, and does the rest', async () => {
    const panel = await startPanel()
    const operator = await panel.setUp()
    const backup = backupOf({
      settings: [
        { key: 'display.theme', value: 'pink' },
        { key: 'no.such', value: 1 },
        { key: 'tunnel.default_mtu', value: 1400 },
        { key: 'tunnel.default_mtu', value: 1401 },
      ],
      pools: [{ address_pool_title: 'Bad', cidr: 5 }, { address_pool_title: 'Good', cidr: '10.2.0.0/16' }, 'x'],
      tunnels: [
        { ...SMALLEST, interface_name: 'bad', mtu: 'x', colour: 'red' },
        { ...SMALLEST, interface_name: 'good' },
      ],
      routes: [{ bind_port: 70_000 }, { route_rule_title: 'good', bind_port: 444, destination_address: '10.9.0.2' }],
    })
    for (const dry_run of [true, false]) {
      const { status, body } = await importInto(operator, backup, { dry_run })
      assert.equal(status, 200)
      assert.deepEqual(
        body.actions.map(({ target, action, error }) => [target, error ? action : '', error?.field ?? '']),
        (
          [
            ['display.theme', 'update', 'backup.settings[0].value'],
            ['no.such', 'update', 'backup.settings[1].key'],
            ['tunnel.default_mtu', '', ''],
            ['tunnel.default_mtu', 'update', 'backup.settings[3].value'],
            ['backup.pools[0]', 'create', 'backup.pools[0].cidr'],
            ['10.2.0.0/16', '', ''],
            ['backup.pools[2]', 'create', 'backup.pools[2]'],
            ['bad', 'create', 'backup.tunnels[0].mtu'],
            ['good', '', ''],
            ['backup.routes[0]', 'create', 'backup.routes[0].bind_port'],
            ['good', '', ''],
          ] as const
        ).map(([target, would, field]) => [target, would && (dry_run ? `would_${would}` : 'failed'), field]),
      )
    }
    assert.equal(panel.settings.get('tunnel.default_mtu'), 1400)
    assert.equal((await importInto(operator, { ...backup, version: 2 })).status, 422)
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

  it('names in a dry run, too, a pool that its tunnels keep as it is, and a tunnel whose pool is missing', async () => {
    const panel = await startPanel()
    const operator = await panel.setUp()
    await createTunnel(operator)
    const { pools, tunnels } = await exportOf(operator)
    const used = pools.find(({ address_pool_id }) => address_pool_id === tunnels[0]?.address_pool_id)
    const backup = backupOf({
      pools: [{ ...used, prefix_length: 29 }],
      tunnels: [{ ...SMALLEST, interface_name: 'lost', address_pool_id: 77 }],
    })
    for (const dry_run of [true, false]) {
      const { body } = await importInto(operator, backup, { dry_run })
      assert.deepEqual(
        body.actions.map(({ error }) => [error?.code, error?.field]),
        [
          ['CONFLICT', 'backup.pools[0].prefix_length'],
          ['VALIDATION_FAILED', 'backup.tunnels[0].address_pool_id'],
        ],
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
    let requests = 0
    const panel = await startPanel({
      request: (async () => {
        requests += 1
        throw new Refusal('HELPER_UNAVAILABLE', verbatim('The root helper does not answer.'))
      }) as never,
    })
    const operator = await panel.setUp()
    requests = 0
    const tunnels = Array.from({ length: 50 }, (_, at) => ({
      ...SMALLEST,
      interface_name: `t${at}`,
      remote_endpoint: `198.51.100.${at + 1}`,
    }))
    const { body } = await importInto(operator, backupOf({ settings: { 'display.theme': 'dark' }, tunnels }))
    assert.deepEqual([body.counts.failed, body.counts.update, requests], [50, 1, 2])
    await panel.close()
  })
})
