// POST /desired: a file that says it all (reference.md, Desired; decisions.md, section 14), over the fake kernel.
import assert from 'node:assert/strict'
import { exportOf, furnish } from './support/backup.ts'
import type { Client } from './support/client.ts'
import { apply, exportFile, GAME, listFiles, TUNNEL } from './support/desired.ts'
import { adopt, plantByHand } from './support/reconcile.ts'
import { createNetwork } from './support/networks.ts'
import type { TestPanel } from './support/panel.ts'
import { lastRevision, listRevisions } from './support/revisions.ts'
import { getRoute, listRoutes, madeRoute, patchRoute } from './support/routes.ts'
import { set, valueOf } from './support/settings.ts'
import { createTunnel, getTunnel, listTunnels, patchTunnel } from './support/tunnels.ts'
import { startWindowPanel } from './support/windows.ts'

const SITE = { tunnels: [TUNNEL], routes: [GAME], settings: { 'monitor.interval_seconds': 2 } }

describe('A file that says what the panel is to do', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    ;({ panel, operator: client } = await startWindowPanel())
  })
  afterEach(() => panel.close())

  const done = async (document: object, more: object = {}): Promise<string[]> => {
    const { status, body, text } = await apply(client, document, more)
    assert.equal(status, 200, text)
    assert.equal(body.changed, body.items.length > 0)
    return body.steps.map(({ method, path, outcome }) => `${method} ${path} ${outcome}`)
  }
  const configuration = async () => {
    const { exported_at: _when, ...rest } = await exportOf(client)
    return rest
  }

  it('makes all that it names, which refers to one another by names, and a second time changes nothing', async () => {
    assert.deepEqual(await done(SITE), ['PUT /settings done', 'POST /tunnels done', 'POST /routes done'])
    const { route } = (await getRoute(client, 1)).body
    assert.deepEqual([route.route_protocol_id, route.tunnel_id], [30, 1])
    assert.equal(await valueOf(client, 'monitor.interval_seconds'), 2)
    const { total } = (await listRevisions(client)).body
    const host = panel.kernel.picture()
    const again = await apply(client, SITE)
    assert.deepEqual([again.body.changed, again.body.steps, again.body.items], [false, [], []])
    assert.deepEqual([(await listRevisions(client)).body.total, panel.kernel.picture()], [total, host])
    const { action, file_name } = await lastRevision(client)
    assert.deepEqual([action, file_name], ['DesiredApply', ''])
    await done({ ...SITE, settings: {} }, { name: 'site.yaml' })
    await done({ settings: { 'monitor.interval_seconds': 5 } }, { name: 'site.yaml' })
    assert.equal((await lastRevision(client)).file_name, 'site.yaml')
    await patchRoute(client, 1, { description: 'by hand' })
    assert.equal((await lastRevision(client)).file_name, '')
  })

  it('takes a line that is deleted back to its default, and leaves what it does not name', async () => {
    await done({ tunnels: [{ ...TUNNEL, ttl: 33, note: 'slow' }], routes: [{ ...GAME, description: 'x' }] })
    await madeRoute(client, { bind_port: 99 })
    await done(SITE)
    const { ttl, note } = (await getTunnel(client, 1)).body
    assert.deepEqual([ttl, note], [255, ''])
    assert.equal((await getRoute(client, 1)).body.route.description, '')
    assert.equal((await listRoutes(client)).body.total, 2)
  })

  it('keeps what was drawn at random or taken from what was free, where it does not say it', async () => {
    const { ikey: _in, okey: _out, addresses: _own, ...bare } = TUNNEL
    await done({ tunnels: [bare] })
    const before = await configuration()
    assert.deepEqual(await done({ tunnels: [bare] }), [])
    assert.deepEqual(await configuration(), before)
  })

  it('leaves a rule without a tunnel where it says so, as every export does, though one leads there', async () => {
    const { tunnel: _none, ...rule } = GAME
    await done({ tunnels: [TUNNEL], routes: [{ ...rule, tunnel: null }] })
    const tunnelOfRule = async (): Promise<unknown> => (await getRoute(client, 1)).body.route.tunnel_id
    assert.equal(await tunnelOfRule(), null)
    const [{ document }, backup] = [await exportFile(client), await exportOf(client)]
    await done({ routes: [GAME] })
    assert.equal(await tunnelOfRule(), 1)
    assert.equal((await client.post('/desired', { document })).status, 200)
    assert.equal(await tunnelOfRule(), null)
    const { revision_id } = await lastRevision(client)
    assert.equal((await client.delete('/routes/1')).status, 200)
    assert.equal((await client.post(`/revisions/${revision_id}/restore`, {})).status, 200)
    assert.equal(await tunnelOfRule(), null)
    assert.equal((await client.delete('/routes/1')).status, 200)
    await client.post('/backup/import', { backup })
    assert.equal((await getRoute(client, 2)).body.route.tunnel_id, null)
  })

  it('renames what was called otherwise', async () => {
    await done(SITE)
    await done({ ...SITE, routes: [{ ...GAME, route_rule_title: 'minecraft', was: 'game' }] })
    assert.deepEqual(
      (await listRoutes(client)).body.routes.map(({ route_rule_id, title }) => [route_rule_id, title]),
      [[1, 'minecraft']],
    )
    assert.deepEqual(await done({ ...SITE, routes: [{ ...GAME, route_rule_title: 'minecraft', was: 'game' }] }), [])
  })

  it('deletes with prune what its earlier form made, or all else of its kinds', async () => {
    await done(SITE, { name: 'site.yaml' })
    await madeRoute(client, { route_rule_title: 'by hand', bind_port: 99 })
    const without = { tunnels: [TUNNEL], routes: [], settings: SITE.settings }
    assert.deepEqual(await done(without, { name: 'other.yaml', prune: 'named' }), [])
    assert.deepEqual(await done(without, { name: 'site.yaml', prune: 'named' }), ['DELETE /routes/1 done'])
    assert.deepEqual(await done({ routes: [] }, { prune: 'all' }), ['DELETE /routes/2 done'])
    assert.equal((await listTunnels(client)).body.total, 1)
  })

  it('prunes no tunnel that was adopted, unless that is wanted', async () => {
    plantByHand(panel.kernel, 'gre-old')
    await adopt(client, { interface_name: 'gre-old' })
    await done({ tunnels: [TUNNEL] }, { name: 'site.yaml' })
    const { body } = await apply(client, { tunnels: [] }, { prune: 'all', dry_run: true })
    assert.deepEqual(
      body.steps.map(({ path }) => path),
      ['/tunnels/2'],
    )
    assert.match(body.note, /gre-old/)
    assert.deepEqual(await done({ tunnels: [] }, { prune: 'all' }), ['DELETE /tunnels/2 done'])
    assert.deepEqual(await done({ tunnels: [] }, { prune: 'all', include_adopted: true }), ['DELETE /tunnels/1 done'])
  })

  it('gives rules the ports of one another, and puts nothing half in place', async () => {
    const rules = (first: number, second: number): object[] => [
      { ...GAME, route_rule_title: 'a', bind_port: first },
      { ...GAME, route_rule_title: 'b', bind_port: second },
    ]
    await done({ tunnels: [TUNNEL], routes: rules(1001, 1002) })
    await done({ tunnels: [TUNNEL], routes: rules(1002, 1001) })
    const ports = [(await getRoute(client, 1)).body.route.bind_port, (await getRoute(client, 2)).body.route.bind_port]
    assert.deepEqual(ports, [1002, 1001])
    const [before, host] = [await configuration(), panel.kernel.picture()]
    const [other] = panel.kernel.hostInterfaces
    assert.ok(other)
    panel.kernel.hostInterfaces.push({ ...other, name: 'taken0', index: 99 })
    const failed = await apply(client, {
      tunnels: [
        TUNNEL,
        {
          ...TUNNEL,
          interface_name: 'taken0',
          remote_endpoint: '198.51.100.10',
          addresses: [{ address: '172.18.1.1', prefix_length: 30 }],
        },
      ],
      routes: rules(1003, 1004),
    })
    assert.deepEqual([failed.status, failed.error?.code], [409, 'APPLY_FAILED'])
    assert.match(failed.error?.field ?? '', /^document\.tunnels\.1/)
    assert.deepEqual([await configuration(), panel.kernel.picture()], [before, host])
  })

  it('says beforehand what would change, and changes nothing', async () => {
    await done(SITE)
    const [before, host] = [await configuration(), panel.kernel.picture()]
    const { body } = await apply(client, { ...SITE, tunnels: [{ ...TUNNEL, mtu: 1400 }] }, { dry_run: true })
    assert.deepEqual([body.changed, body.dry_run, body.steps.map(({ path }) => path)], [true, true, ['/tunnels/1']])
    assert.deepEqual(
      body.items[0]?.changes.map(({ field, after }) => [field, after]),
      [['mtu', 1400]],
    )
    assert.deepEqual([await configuration(), panel.kernel.picture()], [before, host])
  })

  it('is refused with all that is wrong with it, each in its place', async () => {
    const { status, error } = await apply(client, {
      version: 1,
      settings: { 'no.such': 1 },
      tunnels: [TUNNEL, { ...TUNNEL, nonsense: 1 }],
      routes: [{ ...GAME, tunnel: 'gone', protocol: 'smtp' }],
    })
    assert.equal(status, 422)
    const fields = (error?.details['fields'] as { field: string }[]).map(({ field }) => field)
    assert.deepEqual(fields.sort(), [
      'document.routes.0.protocol',
      'document.settings.no.such',
      'document.tunnels.1.nonsense',
    ])
    const mixed = await apply(client, {
      pools: {},
      tunnels: [{ ...TUNNEL, mtu: 'large', pool: 'maybe' }],
      routes: [GAME, { ...GAME, route_rule_title: 'other', bind_port: 0 }, { ...GAME, tunnel: 'maybe' }],
      networks: [{ network_title: 'a', destination: '10.1.0.0/16', paths: [{ tunnel: 'maybe' }] }],
      surplus: 1,
    })
    assert.deepEqual((mixed.error?.details['fields'] as { field: string }[]).map(({ field }) => field).sort(), [
      'document.pools',
      'document.routes.1.bind_port',
      'document.routes.2.route_rule_title',
      'document.surplus',
      'document.tunnels.0.mtu',
    ])
    assert.equal((await client.post('/desired', { document: [] })).status, 422)
    assert.equal((await client.post('/desired', {})).status, 422)
    const second = await apply(client, {
      settings: { 'no.such': 1 },
      tunnels: [TUNNEL, TUNNEL],
      routes: [{ ...GAME, tunnel: 'gone' }],
    })
    assert.deepEqual((second.error?.details['fields'] as { field: string }[]).map(({ field }) => field).sort(), [
      'document.routes.0.tunnel',
      'document.settings.no.such',
      'document.tunnels.1.interface_name',
    ])
    assert.equal((await apply(client, { version: 2 })).status, 422)
    assert.equal((await listTunnels(client)).body.total, 0)
  })

  it('is refused where the panel was changed since', async () => {
    const { digest } = await exportFile(client)
    await set(client, { 'display.theme': 'dark' })
    const { status, error } = await apply(client, SITE, { base: digest })
    assert.deepEqual([status, error?.code], [409, 'DESIRED_IS_STALE'])
    assert.equal((await apply(client, SITE, { base: (await exportFile(client)).digest })).status, 200)
  })

  it('that was exported changes nothing where it is applied', async () => {
    await furnish(client)
    await createNetwork(client)
    const { document } = await exportFile(client)
    const { status, body, text } = await client.post<{ items: unknown[]; changed: boolean }>('/desired', {
      document,
      prune: 'all',
    })
    assert.equal(status, 200, text)
    assert.deepEqual([body.items, body.changed], [[], false])
  })

  it('is remembered by its name, with what was changed by hand since', async () => {
    await done(SITE, { name: 'site.yaml' })
    const [file] = (await listFiles(client)).body.files
    assert.deepEqual([file?.name, file?.username, file?.differs], ['site.yaml', 'operator', []])
    assert.equal(file?.object_count, 3)
    await set(client, { 'display.theme': 'dark' })
    await patchTunnel(client, 1, { mtu: 1400 })
    await patchRoute(client, 1, { description: 'by hand' })
    const [changed] = (await listFiles(client)).body.files
    assert.deepEqual(
      changed?.differs.map(({ title, changes }) => [title, changes.map(({ field }) => field)]),
      [
        ['gre-fra-1', ['mtu']],
        ['game', ['description']],
      ],
    )
    await done(SITE, { name: 'site.yaml' })
    assert.deepEqual((await listFiles(client)).body.files[0]?.differs, [])
  })

  it('takes what guards the panel with a fresh password alone', async () => {
    await createTunnel(client)
    panel.clock.advance(601)
    await client.post('/auth/refresh')
    const guarded = { settings: { 'security.allowed_origins': ['https://a.example'] } }
    assert.equal((await apply(client, guarded)).error?.code, 'FRESH_PASSWORD_REQUIRED')
    assert.equal((await apply(client, guarded, { dry_run: true })).body.changed, true)
    assert.equal((await apply(client, { settings: { 'display.theme': 'dark' } })).status, 200)
  })
})
