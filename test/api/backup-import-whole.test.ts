// An import that is to be whole: where one item fails, host and store are as they were (reference.md, POST
// /backup/import).
import assert from 'node:assert/strict'
import { WINDOW_CHANGED } from '@panel/shared/events/model.ts'
import { backupOf, importInto } from './support/backup.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { SMALLEST } from './support/tunnels.ts'

const TUNNELS = Array.from({ length: 12 }, (_, n) => ({
  ...SMALLEST,
  interface_name: `gre-${n}`,
  remote_endpoint: `198.51.100.${n + 1}`,
  addresses: [{ address: `10.77.${n}.1`, prefix_length: 30 }],
}))
const RULES = Array.from({ length: 30 }, (_, n) => ({
  route_rule_title: `rule ${n}`,
  bind_port: 2000 + n,
  destination_address: '10.9.0.2',
}))
const WRONG = { ...SMALLEST, interface_name: 'wrong', remote_endpoint: '127.0.0.1' }

describe('An import that is to be whole', () => {
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    panel = await startPanel()
    panel.windows.watch(() => panel.bus.publish('host.changed', { events: [WINDOW_CHANGED] }))
    operator = await panel.setUp()
  })
  afterEach(() => panel.close())
  const picture = async () => [
    panel.kernel.picture(),
    await panel.db.selectFrom('tunnel').selectAll().where('deleted_date', 'is', null).execute(),
    await panel.db.selectFrom('route_rule').selectAll().where('deleted_date', 'is', null).execute(),
    await panel.db.selectFrom('setting').selectAll().execute(),
    await panel.db.selectFrom('address_pool').selectAll().execute(),
  ]
  const backup = (tunnels: readonly object[]) =>
    backupOf({
      settings: { 'display.theme': 'dark' },
      pools: [{ address_pool_title: 'Good', cidr: '10.2.0.0/16' }],
      tunnels: [...tunnels],
      routes: RULES,
    })

  it('puts everything back where one item fails, and says which', async () => {
    const before = await picture()
    const { status, body } = await importInto(operator, backup([...TUNNELS, WRONG]), { is_atomic: true })
    assert.deepEqual([status, body.is_taken_back, body.counts.failed], [200, true, 1])
    assert.match(body.note, /everything was put back/)
    assert.deepEqual(await picture(), before)
    assert.equal(panel.settings.get('display.theme'), 'system')
    assert.equal(panel.windows.probe().window, null)
  })

  it('stays where none fails, with nothing left to confirm', async () => {
    const { body } = await importInto(operator, backup(TUNNELS), { is_atomic: true })
    assert.deepEqual([body.is_taken_back, body.counts.failed, body.counts.create], [false, 0, 43])
    assert.deepEqual(panel.windows.probe(), { window: null, ended: null })
    assert.equal(panel.kernel.held.size, 12)
  })

  it('is refused while other changes wait for a confirmation, and not in a window that is empty', async () => {
    await operator.post('/safe-apply', {})
    assert.equal((await importInto(operator, backup(TUNNELS.slice(0, 1)), { is_atomic: true })).status, 200)
    const again = await importInto(operator, backup(TUNNELS.slice(1, 2)), { is_atomic: true })
    assert.deepEqual([again.status, again.error.code], [409, 'SAFE_APPLY_UNDER_WAY'])
    assert.equal(panel.kernel.held.size, 1)
  })

  it('goes on with the rest where it is not to be whole', async () => {
    const { body } = await importInto(operator, backup([WRONG, ...TUNNELS.slice(0, 2)]), {})
    assert.deepEqual([body.is_taken_back, body.counts.failed, panel.kernel.held.size], [false, 1, 2])
  })
})
