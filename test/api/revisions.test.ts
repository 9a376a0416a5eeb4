// The revisions that commands leave, as reference.md has them (Revisions), over the fake kernel.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { ObjectDifference } from '@panel/shared/api/revisions.ts'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { keepRevisions } from '@panel/web-daemon/features/revisions/log.ts'
import { Bus } from '@panel/web-daemon/platform/events/bus.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { exportOf, furnish, importInto } from './support/backup.ts'
import type { Client } from './support/client.ts'
import { createNetwork, deleteNetwork, patchNetwork } from './support/networks.ts'
import type { TestPanel } from './support/panel.ts'
import { getRevision, lastRevision, listRevisions } from './support/revisions.ts'
import { actOnRoute, deleteRoute, madeRoute, reorder } from './support/routes.ts'
import { resetSettings, set } from './support/settings.ts'
import {
  act,
  addAddress,
  createTunnel,
  deleteTunnel,
  patchTunnel,
  previewTunnel,
  startFaultyPanel,
} from './support/tunnels.ts'
import { startWindowPanel } from './support/windows.ts'

describe('A revision', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    ;({ panel, operator: client } = await startWindowPanel())
  })
  afterEach(() => panel.close())

  const count = async (): Promise<number> => (await listRevisions(client)).body.total
  const differences = async (): Promise<ObjectDifference[]> =>
    (await getRevision(client, (await lastRevision(client)).revision_id)).body.items
  const changed = async (): Promise<string[]> =>
    (await differences()).flatMap(({ title, what, changes }) =>
      changes.map(({ field, before, after }) => `${title} ${what}: ${field} ${String(before)} to ${String(after)}`),
    )

  it('is there from the beginning, of what was there then', async () => {
    const { body } = await listRevisions(client)
    const [first] = body.revisions
    assert.deepEqual([body.total, first?.origin, first?.action, first?.item_count], [1, 'panel', '', 0])
  })

  it('says who changed what, by which request, and why', async () => {
    const reason = encodeURIComponent('Ticket 17: größere Pakete ✓')
    const { headers } = await client.post(
      '/tunnels',
      { local_endpoint: '192.0.2.1', remote_endpoint: '203.0.113.9' },
      { headers: { 'X-Change-Reason': reason } },
    )
    const { created_date, revision_id, request_id, user_id, ...last } = await lastRevision(client)
    assert.deepEqual(last, {
      username: 'operator',
      origin: 'operator',
      file_name: '',
      action: 'TunnelCreate',
      reason: 'Ticket 17: größere Pakete ✓',
      state: 'kept',
      is_pinned: false,
      item_count: 1,
      items: [{ kind: 'tunnel', target_key: '1', title: 'gre-a-1', what: 'created' }],
    })
    assert.ok(created_date <= panel.clock.now().toISOString())
    assert.deepEqual([user_id, request_id], [1, headers['x-request-id']])
    const audited = (await client.get<{ entries: { request_id: string }[] }>('/audit?action=TunnelCreate')).body
    assert.equal(audited.entries[0]?.request_id, request_id)
    assert.equal((await getRevision(client, revision_id)).body.items[0]?.kind, 'tunnel')
  })

  for (const [what, reason] of [
    ['of more than 200 letters', 'a'.repeat(201)],
    ['of two lines', 'a%0Ab'],
    ['that is not encoded right', '%E0%A4%A'],
  ] as const)
    it(`takes no reason ${what}, on its header, and nothing is changed`, async () => {
      const reply = await client.put(
        '/settings',
        { 'display.theme': 'dark' },
        { headers: { 'X-Change-Reason': reason } },
      )
      assert.deepEqual([reply.status, reply.error?.field], [422, 'X-Change-Reason'])
      assert.equal(await count(), 1)
    })

  it('names the API token that was used', async () => {
    const { body } = await client.post<{ token: string; text?: string }>('/auth/tokens', {
      title: 'deploy',
      scopes: ['settings'],
    })
    const text = Object.values(body).find((value) => typeof value === 'string')
    const headers = { Authorization: `Bearer ${text}` }
    assert.equal((await panel.visitor().put('/settings', { 'display.theme': 'dark' }, { headers })).status, 200)
    const { origin, username } = await lastRevision(client)
    assert.deepEqual([origin, username], ['token', 'token:deploy'])
  })

  it('is left by every command that changes a wish, field by field', async () => {
    await createTunnel(client, { remote_endpoint: '203.0.113.7' })
    await patchTunnel(client, 1, { mtu: 1400, note: 'slow' })
    assert.deepEqual(await changed(), ['gre-a-1 updated: mtu 1472 to 1400', 'gre-a-1 updated: note  to slow'])
    await act(client, 1, 'down')
    assert.deepEqual(await changed(), ['gre-a-1 updated: is_enabled true to false'])
    await act(client, 1, 'up')
    await addAddress(client, 1, { address: '10.1.1.1', prefix_length: 24 })
    assert.deepEqual(
      (await differences())[0]?.changes.map(({ field }) => field),
      ['addresses'],
    )
    await createNetwork(client)
    await patchNetwork(client, 1, { note: 'lab' })
    assert.deepEqual(await changed(), ['10.50.0.0/16 updated: note  to lab'])
    await madeRoute(client, { route_rule_title: 'one' })
    await madeRoute(client, { route_rule_title: 'two', bind_port: 81 })
    await reorder(client, [2, 1])
    assert.deepEqual(
      (await differences())[0]?.changes.map(({ field }) => field),
      ['sort_order'],
    )
    await actOnRoute(client, 1, 'disable')
    assert.deepEqual(await changed(), ['one updated: is_enabled true to false'])
    await client.post('/routes/1/duplicate')
    assert.equal((await lastRevision(client)).items[0]?.what, 'created')
    const { body: pool } = await client.post<{ address_pool_id: number }>('/pools', {
      address_pool_title: 'Mine',
      cidr: '10.77.0.0/16',
    })
    await client.put(`/pools/${pool.address_pool_id}`, { address_pool_title: 'Ours', cidr: '10.77.0.0/16' })
    assert.deepEqual(await changed(), ['Ours updated: address_pool_title Mine to Ours'])
    await client.delete(`/pools/${pool.address_pool_id}`)
    await set(client, { 'display.theme': 'dark', 'tunnel.default_mtu': 1400 })
    assert.equal((await lastRevision(client)).item_count, 2)
    await resetSettings(client, { keys: ['display.theme'] })
    assert.deepEqual(await changed(), ['display.theme updated: value dark to system'])
    for (const gone of [() => deleteRoute(client, 1), () => deleteNetwork(client, 1), () => deleteTunnel(client, 1)]) {
      assert.equal((await gone()).status, 200)
      assert.deepEqual(
        (await lastRevision(client)).items.map(({ what }) => what),
        ['deleted'],
      )
    }
    assert.equal(await count(), 20 + 1)
  })

  it('is left by nothing that changes no wish', async () => {
    await createTunnel(client)
    await madeRoute(client)
    const before = await count()
    await previewTunnel(client, { remote_endpoint: '203.0.113.77' })
    await createTunnel(client, { remote_endpoint: 'nonsense' })
    await patchTunnel(client, 1, { mtu: 70_000 })
    await patchTunnel(client, 1, {})
    await act(client, 1, 'reapply')
    await actOnRoute(client, 1, 'reapply')
    await set(client, { 'display.theme': 'system' })
    await panel.watch.pass('event')
    await client.post('/auth/refresh')
    assert.equal(await count(), before)
  })

  it('is not left by a creation that came to nothing', async () => {
    const faulty = await startFaultyPanel()
    try {
      const operator = await faulty.setUp()
      faulty.arm((n) => (n === 2 ? 'half' : null))
      assert.equal((await createTunnel(operator)).error?.code, 'APPLY_FAILED')
      assert.equal((await listRevisions(operator)).body.total, 1)
    } finally {
      await faulty.close()
    }
  })

  it('is one for an import, however many things it makes', async () => {
    await furnish(client)
    const backup = await exportOf(client)
    const other = await startWindowPanel()
    try {
      assert.equal((await importInto(other.operator, backup)).status, 200)
      const { action, item_count, origin } = await lastRevision(other.operator)
      assert.deepEqual(
        [action, origin, (await listRevisions(other.operator)).body.total],
        ['BackupImport', 'operator', 2],
      )
      assert.ok(item_count > 10)
    } finally {
      await other.panel.close()
    }
  })

  it('waits with its window, and is marked where that is taken back, which adds none', async () => {
    await createTunnel(client)
    await client.post('/safe-apply', { seconds: 100 })
    await patchTunnel(client, 1, { mtu: 1400 })
    assert.equal((await lastRevision(client)).state, 'waiting')
    const { body } = await client.get<{ window: { window_id: string } }>('/safe-apply')
    await client.post('/safe-apply/cancel', { window_id: body.window.window_id })
    const { state, items } = await lastRevision(client)
    assert.deepEqual([state, items.length, await count()], ['taken_back', 1, 3])
    await client.post('/safe-apply', { seconds: 100 })
    await patchTunnel(client, 1, { mtu: 1300 })
    const again = await client.get<{ window: { window_id: string } }>('/safe-apply')
    await client.post('/safe-apply/confirm', { window_id: again.body.window.window_id })
    assert.equal((await lastRevision(client)).state, 'kept')
  })

  it('is stored with the change, or the change is not', async () => {
    await createTunnel(client)
    await sql`create temp trigger full before insert on main.revision begin select raise(abort, 'full'); end`.execute(
      panel.db,
    )
    const before = [await exportOf(client), panel.kernel.picture()]
    assert.equal((await patchTunnel(client, 1, { mtu: 1400 })).status, 500)
    assert.equal((await client.put('/settings', { 'display.theme': 'dark' })).status, 500)
    await sql`drop trigger temp.full`.execute(panel.db)
    const { exported_at: _now, ...after } = await exportOf(client)
    assert.deepEqual(
      [{ ...after, exported_at: (before[0] as { exported_at: string }).exported_at }, panel.kernel.picture()],
      before,
    )
  })

  it('leaves to nobody what was changed while the panel did not run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'panel-revisions-'))
    const path = join(folder, 'panel.db')
    const open = async () => {
      const db = await openStore(path)
      await keepRevisions({ db, bus: new Bus(makeLogger({ write: () => undefined })), now: () => new Date() })
      return db
    }
    const first = await open()
    const named = () => first.selectFrom('revision').select(['is_shown', 'origin']).execute()
    assert.deepEqual(await named(), [{ is_shown: 1, origin: 'panel' }])
    await first.destroy()
    const other = await openStore(path)
    await other.insertInto('setting').values({ key: 'display.theme', value: '"dark"', updated_date: '' }).execute()
    await other.destroy()
    const again = await open()
    try {
      const rows = await again.selectFrom('revision').select(['is_shown', 'origin']).orderBy('revision_id').execute()
      assert.deepEqual(rows, [
        { is_shown: 1, origin: 'panel' },
        { is_shown: 0, origin: 'panel' },
      ])
    } finally {
      await again.destroy()
      rmSync(folder, { recursive: true })
    }
  })
})
