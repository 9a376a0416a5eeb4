// The revisions that are kept: how they are found, compared and folded away (reference.md, Revisions), over the fake
// kernel.
import assert from 'node:assert/strict'
import { exportOf, furnish } from './support/backup.ts'
import type { Client } from './support/client.ts'
import type { TestPanel } from './support/panel.ts'
import { diffRevision, getRevision, lastRevision, listRevisions, restore } from './support/revisions.ts'
import { patchRoute } from './support/routes.ts'
import { set } from './support/settings.ts'
import { createTunnel, deleteTunnel, patchTunnel } from './support/tunnels.ts'
import { startWindowPanel } from './support/windows.ts'

describe('A revision that is kept', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    ;({ panel, operator: client } = await startWindowPanel())
  })
  afterEach(() => panel.close())

  const count = async (): Promise<number> => (await listRevisions(client)).body.total
  it('is found by what it changed', async () => {
    await createTunnel(client)
    await set(client, { 'display.theme': 'dark' })
    await patchTunnel(client, 1, { mtu: 1400 })
    const actions = async (query: string): Promise<string[]> =>
      (await listRevisions(client, query)).body.revisions.map(({ action }) => action)
    assert.deepEqual(await actions('?kind=tunnel&target_key=1'), ['TunnelUpdate', 'TunnelCreate'])
    assert.deepEqual(await actions('?kind=setting'), ['SettingUpdate'])
    assert.deepEqual(await actions('?kind=route'), [])
    assert.deepEqual(await actions(`?request_id=${(await lastRevision(client)).request_id}`), ['TunnelUpdate'])
    assert.deepEqual(await actions('?limit=1&offset=1'), ['SettingUpdate'])
    assert.equal((await listRevisions(client, '?kind=nonsense')).status, 422)
  })

  it('is compared with another, with now, and with what the host holds', async () => {
    await createTunnel(client)
    const first = (await lastRevision(client)).revision_id
    await patchTunnel(client, 1, { mtu: 1400 })
    const second = (await lastRevision(client)).revision_id
    await patchTunnel(client, 1, { mtu: 1300 })
    const found = async (from: number, to: string | number) =>
      (await diffRevision(client, from, to)).body.items.flatMap(({ changes }) =>
        changes.map(({ field, before, after }) => [field, before, after]),
      )
    assert.deepEqual(await found(first, second), [['mtu', 1472, 1400]])
    assert.deepEqual(await found(second, first), [['mtu', 1400, 1472]])
    assert.deepEqual(await found(second, 'now'), [['mtu', 1400, 1300]])
    assert.deepEqual(await found(second, 'host'), [['mtu', 1400, 1300]])
    const held = panel.kernel.held.get('gre-a-1')
    assert.ok(held)
    Object.assign(held.state?.config ?? {}, { mtu: 1200 })
    assert.deepEqual((await found(second, 'host')).at(-1), ['mtu', '1300', '1200'])
    assert.equal((await diffRevision(client, second, 'nonsense')).error?.field, 'to')
    assert.equal((await diffRevision(client, second, 9999)).status, 404)
  })

  it('that the way back does not lead to is damage of the store, and nothing is restored to it', async () => {
    await createTunnel(client)
    const { revision_id } = await lastRevision(client)
    await patchTunnel(client, 1, { mtu: 1400 })
    await panel.db.deleteFrom('revision_item').where('revision_id', '>', revision_id).execute()
    assert.equal((await diffRevision(client, revision_id, 'now')).status, 503)
    assert.equal((await restore(client, revision_id)).status, 503)
  })

  it('gives everything as it was in the form of a backup', async () => {
    await furnish(client)
    const { revision_id } = await lastRevision(client)
    const { exported_at: _then, ...then } = await exportOf(client)
    await deleteTunnel(client, 4)
    await patchRoute(client, 1, { bind_port: 4444 })
    await set(client, { 'display.theme': 'light' })
    const { exported_at: _at, ...backup } = (
      await client.get<typeof then & { exported_at: string }>(`/revisions/${revision_id}/backup`)
    ).body
    const byKey = ({ settings, ...rest }: typeof then) => ({
      ...rest,
      settings: [...settings].sort((a, b) => (a.key < b.key ? -1 : 1)),
    })
    assert.deepEqual(byKey(backup), byKey(then))
  })

  it('is folded away when enough follow, unless it is pinned, and the way to that one stays whole', async () => {
    await set(client, { 'system.revisions_kept': 2 })
    await set(client, { 'tunnel.default_mtu': 1400 })
    const { revision_id } = await lastRevision(client)
    const { exported_at: _then, ...then } = await exportOf(client)
    const pinned = await client.post<{ is_pinned: boolean }>(`/revisions/${revision_id}/pin`, { is_pinned: true })
    assert.deepEqual([pinned.status, pinned.body.is_pinned], [200, true])
    for (const mtu of [1300, 1310, 1320, 1330]) await set(client, { 'tunnel.default_mtu': mtu })
    assert.deepEqual(
      (await listRevisions(client)).body.revisions.map(({ is_pinned }) => is_pinned),
      [false, false, true],
    )
    const gone = await getRevision(client, revision_id - 1)
    assert.deepEqual([gone.status, /2 are kept/.test(gone.text)], [404, true])
    const { exported_at: _at, ...backup } = (
      await client.get<typeof then & { exported_at: string }>(`/revisions/${revision_id}/backup`)
    ).body
    assert.deepEqual(new Set(backup.settings), new Set(then.settings))
    await client.post(`/revisions/${revision_id}/pin`, { is_pinned: false })
    assert.equal(await count(), 2)
    const kept = await panel.db.selectFrom('revision').select('revision_id').execute()
    assert.equal(kept.length, 2)
  })
})
