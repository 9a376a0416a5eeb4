// The pool that the setting addressing.default_pool_id names: tunnels can take from it, and it stays so (reference.md,
// Pools; decisions.md, R35, section 8).
import assert from 'node:assert/strict'
import type { ChangePoolAnswer } from '@panel/shared/api/pools.ts'
import { backupOf, importInto } from './support/backup.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'

const KEY = 'addressing.default_pool_id'
const MINE = { address_pool_title: 'Mine', cidr: '10.77.0.0/16', prefix_length: 30 } as const

describe('The default pool', () => {
  let panel: TestPanel
  let client: Client
  let id: number
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    id = (await client.post<ChangePoolAnswer>('/pools', MINE)).body.address_pool_id
  })
  afterEach(() => panel.close())
  const choose = (value: number | null) => client.put('/settings', { [KEY]: value })

  it('is none that is disabled, public or not there: 422 on the setting, with the reason', async () => {
    await client.put(`/pools/${id}`, { ...MINE, is_enabled: false })
    const enabledPublic = { address_pool_title: 'Public', cidr: '109.194.0.0/16', prefix_length: 30, is_enabled: true }
    assert.equal((await client.put('/pools/30', enabledPublic)).status, 200)
    for (const [value, why] of [
      [id, /Mine.*disabled/],
      [30, /Public.*public addresses/],
      [40, /public addresses/],
      [99, /no pool 99/],
    ] as const) {
      const { status, error } = await choose(value)
      assert.deepEqual([status, error.field], [422, KEY], String(value))
      assert.match(error.message, why)
    }
    assert.equal(panel.settings.get(KEY), null)
  })

  it('cannot be deleted, disabled or made public while the setting names it: 409 naming the setting', async () => {
    assert.equal((await choose(id)).status, 200)
    const changes = [
      () => client.delete(`/pools/${id}`),
      () => client.put(`/pools/${id}`, { ...MINE, is_enabled: false }),
      () => client.put(`/pools/${id}`, { ...MINE, cidr: '203.0.0.0/16' }),
    ]
    for (const change of changes) {
      const { status, error } = await change()
      assert.deepEqual([status, error.code, error.details], [409, 'CONFLICT', { setting: KEY }])
      assert.match(error.message, /addressing\.default_pool_id/)
    }
    assert.equal((await client.put(`/pools/${id}`, { ...MINE, description: 'still mine' })).status, 200)
    await choose(null)
    for (const change of changes.reverse()) assert.equal((await change()).status, 200)
  })

  it('stays what it is in an import too, and a dry run says so', async () => {
    await choose(id)
    const backup = backupOf({
      pools: [
        { ...MINE, is_enabled: false },
        { ...MINE, cidr: '10.78.0.0/16' },
      ],
    })
    for (const dry_run of [true, false]) {
      const { body } = await importInto(client, backup, { dry_run })
      assert.deepEqual(
        body.actions.map(({ error }) => error?.code ?? ''),
        ['CONFLICT', ''],
      )
    }
  })
})
