// A locked file (reference.md, Desired; decisions.md, V7): its objects are changed by the file alone.
import assert from 'node:assert/strict'
import type { ImportBackupAnswer } from '@panel/shared/api/backup.ts'
import { stateNow } from '@panel/web-daemon/features/revisions/store.ts'
import type { Client } from './support/client.ts'
import { apply, GAME, listFiles, lock, TUNNEL } from './support/desired.ts'
import type { TestPanel } from './support/panel.ts'
import { getRoute, listRoutes, madeRoute, patchRoute } from './support/routes.ts'
import { set, valueOf } from './support/settings.ts'
import { getTunnel, patchTunnel } from './support/tunnels.ts'
import { startWindowPanel } from './support/windows.ts'

const SITE = {
  settings: { 'monitor.interval_seconds': 2 },
  pools: [{ address_pool_title: 'site', cidr: '10.99.0.0/16', prefix_length: 30 }],
  tunnels: [TUNNEL],
  networks: [{ network_title: 'office', destination: '10.50.0.0/16', paths: [{ tunnel: 'gre-fra-1' }] }],
  routes: [GAME],
}
const NAMED = { name: 'site.yaml', lock: true }

describe('A locked file', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    ;({ panel, operator: client } = await startWindowPanel())
    const { status, text } = await apply(client, SITE, NAMED)
    assert.equal(status, 200, text)
  })
  afterEach(() => panel.close())

  /** Every command whose path names an object of the file. The panel begins with pools of its own. */
  const commands = (pool: string): { route: string; path: string }[] =>
    panel.endpoints
      .filter(
        ({ kind, route }) =>
          kind === 'command' && /^\w+ \/(tunnels|routes|pools|networks|reconcile)\/\{id\}/.test(route),
      )
      .map(({ route }) => ({
        route,
        path: route.slice(route.indexOf(' ') + 1).replace('/pools/{id}', `/pools/${pool}`),
      }))
      .map(({ route, path }) => ({ route, path: path.replaceAll(/\{\w+\}/g, '1') }))

  const BODIES: Readonly<Record<string, object>> = {
    'PATCH /tunnels/{id}': { mtu: 1400 },
    'DELETE /tunnels/{id}': { force: true },
    'POST /tunnels/{id}/addresses': { address: '172.18.1.1', prefix_length: 30 },
    'DELETE /tunnels/{id}/addresses': { address: '172.17.1.1', prefix_length: 30 },
    'PATCH /routes/{id}': { description: 'by hand' },
    'POST /routes/{id}/destinations': { address: '172.17.1.3', port: 99 },
    'DELETE /routes/{id}/destinations': { address: '172.17.1.2', port: 25_565 },
    'POST /routes/{id}/allowed-sources': { cidr: '203.0.113.0/24' },
    'DELETE /routes/{id}/allowed-sources': { cidr: '203.0.113.0/24' },
    'PUT /routes/{id}/check': { is_enabled: true },
    'PATCH /networks/{id}': { note: 'by hand' },
    'PUT /pools/{id}': { address_pool_title: 'other', cidr: '10.99.0.0/16', prefix_length: 30 },
  }

  it('refuses each request that would change one of its objects, and lets the others through', async () => {
    const before = await stateNow(panel.db)
    const host = panel.kernel.picture()
    const refused: string[] = []
    for (const { route, path } of commands(before.find(({ title }) => title === 'site')?.target_key ?? '')) {
      const [method = ''] = route.split(' ')
      const { error } = await client.api(method, path, BODIES[route] ?? {})
      if (error?.code === 'MANAGED_BY_FILE') refused.push(route)
      const after = (await stateNow(panel.db)).filter((one) => before.some(({ title }) => title === one.title))
      assert.deepEqual(after, before, `${route} changed an object`)
    }
    for (const route of Object.keys(BODIES)) assert.ok(refused.includes(route), `${route} was not refused`)
    assert.ok(
      !refused.some((route) => /reapply|restart|diagnostics|duplicate|drain|take-out/.test(route)),
      refused.join(),
    )
    assert.equal(panel.kernel.picture(), host)
  })

  it('names itself where it refuses, beforehand too', async () => {
    const { status, error } = await patchRoute(client, 1, { description: 'by hand' })
    assert.deepEqual([status, error?.code, error?.details['file']], [409, 'MANAGED_BY_FILE', 'site.yaml'])
    assert.match(error?.message ?? '', /site\.yaml/)
    const foreseen = await client.post('/impact', { method: 'DELETE', path: '/tunnels/1', body: {} })
    assert.equal(foreseen.error?.code, 'MANAGED_BY_FILE')
  })

  it('refuses its settings where they would change, and takes any other', async () => {
    assert.equal((await client.put('/settings', { 'monitor.interval_seconds': 5 })).error?.code, 'MANAGED_BY_FILE')
    const reset = await client.post('/settings/reset', {})
    assert.equal(reset.error?.code, 'MANAGED_BY_FILE', reset.text)
    assert.equal(
      (await client.put('/settings', { 'monitor.interval_seconds': 2, 'display.theme': 'dark' })).status,
      200,
    )
    await set(client, { 'display.theme': 'light' })
  })

  it('refuses an order with one of its rules, and other objects are changed as ever', async () => {
    const other = await madeRoute(client, { bind_port: 99 })
    const id = other.route_rule_id
    assert.equal((await client.post('/routes/reorder', { route_rule_ids: [id, 1] })).error?.code, 'MANAGED_BY_FILE')
    assert.equal((await patchRoute(client, id, { description: 'mine' })).status, 200)
  })

  it('is changed by itself, and by no other file or restore', async () => {
    const changed = { ...SITE, tunnels: SITE.tunnels.map((one) => ({ ...one, mtu: 1400 })) }
    const other = await apply(client, { tunnels: changed.tunnels }, { name: 'other.yaml' })
    assert.deepEqual([other.status, other.error?.code], [409, 'APPLY_FAILED'])
    assert.equal((await apply(client, { tunnels: changed.tunnels })).status, 409)
    assert.equal((await apply(client, changed, { name: 'site.yaml' })).status, 200)
    assert.equal((await getTunnel(client, 1)).body.mtu, 1400)
    const restored = await client.post<{ is_taken_back: boolean }>('/revisions/2/restore', {})
    assert.equal(restored.body.is_taken_back, true, restored.text)
  })

  it('keeps its rules where another file would delete many at once, and deletes them itself', async () => {
    const rules = [1, 2, 3].map((number) => ({ ...GAME, route_rule_title: `rule ${number}`, bind_port: 3000 + number }))
    await apply(client, { ...SITE, routes: [GAME, ...rules] }, NAMED)
    await madeRoute(client, { bind_port: 4000 })
    const host = panel.kernel.picture()
    const { status, error } = await apply(client, { routes: [] }, { name: 'other.yaml', prune: 'all' })
    assert.equal(status, 409)
    assert.equal((error.details['error'] as { code: string }).code, 'MANAGED_BY_FILE')
    assert.match(error.message, /^The step for game failed, and everything is as it was\. Managed by site\.yaml\./)
    assert.deepEqual([panel.kernel.picture(), (await listRoutes(client)).body.total], [host, 5])
    assert.equal((await apply(client, SITE, { name: 'site.yaml', prune: 'named' })).status, 200)
    assert.equal((await listRoutes(client)).body.total, 2)
  })

  it('is not changed by a backup, whose other items are imported', async () => {
    const settings = { 'display.theme': 'dark', 'monitor.interval_seconds': 7, 'monitor.timeout_seconds': 3 }
    const pools = [{ ...SITE.pools[0], description: 'by a backup' }]
    const backup = { version: 1, settings, pools, tunnels: [] }
    for (const dry_run of [true, false]) {
      const { body } = await client.post<ImportBackupAnswer>('/backup/import', { backup, dry_run })
      assert.deepEqual(
        body.actions.map(({ target, error }) => [target, error?.code ?? null]),
        [
          ['display.theme', null],
          ['monitor.interval_seconds', 'MANAGED_BY_FILE'],
          ['monitor.timeout_seconds', null],
          ['10.99.0.0/16', 'MANAGED_BY_FILE'],
        ],
      )
    }
    assert.deepEqual(
      [await valueOf(client, 'display.theme'), await valueOf(client, 'monitor.interval_seconds')],
      ['dark', 2],
    )
  })

  it('is unlocked by hand, and stays so until it is applied with lock again', async () => {
    assert.deepEqual(
      (await lock(client, 'site.yaml', false)).body.files.map((one) => one.is_locked),
      [false],
    )
    assert.equal((await patchTunnel(client, 1, { note: 'by hand' })).status, 200)
    await apply(client, SITE, { name: 'site.yaml' })
    assert.equal((await patchRoute(client, 1, { description: 'by hand' })).status, 200)
    await apply(client, SITE, NAMED)
    assert.equal((await patchRoute(client, 1, { description: 'again' })).error?.code, 'MANAGED_BY_FILE')
    assert.equal((await getRoute(client, 1)).body.route.description, '')
    assert.equal((await lock(client, 'no.yaml', false)).status, 404)
  })

  it('is listed for each of its objects, with what differs of it', async () => {
    const { files } = (await listFiles(client, { kind: 'tunnel', target_key: '1' })).body
    assert.deepEqual(
      files.map(({ name, is_locked, object_count, differs }) => [name, is_locked, object_count, differs]),
      [['site.yaml', true, 1, []]],
    )
    await madeRoute(client, { bind_port: 99 })
    assert.deepEqual((await listFiles(client, { kind: 'route', target_key: '2' })).body.files, [])
  })

  it('has a name', async () => {
    const { status, error } = await apply(client, SITE, { lock: true })
    assert.deepEqual([status, error?.field], [422, 'name'])
  })
})
