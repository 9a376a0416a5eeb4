// An import that is to be whole: where one item fails, host and store are as they were (reference.md, POST
// /backup/import).
import assert from 'node:assert/strict'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { quietly } from '../support/quietly.ts'
import { backupOf, importInto } from './support/backup.ts'
import type { Client } from './support/client.ts'
import type { TestPanel } from './support/panel.ts'
import { createTunnel, SMALLEST } from './support/tunnels.ts'
import { startWindowPanel } from './support/windows.ts'

const TUNNELS = Array.from({ length: 100 }, (_, n) => ({
  ...SMALLEST,
  interface_name: `gre-${n}`,
  remote_endpoint: `198.51.100.${n + 1}`,
  addresses: [{ address: `10.77.${n}.1`, prefix_length: 30 }],
}))
const RULES = Array.from({ length: 1000 }, (_, n) => ({
  route_rule_title: `rule ${n}`,
  bind_port: 2000 + n,
  destination_address: '10.9.0.2',
}))
const WRONG = { ...SMALLEST, interface_name: 'wrong', remote_endpoint: '127.0.0.1' }

describe('An import that is to be whole', function () {
  quietly()
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    ;({ panel, operator } = await startWindowPanel())
  })
  afterEach(() => panel.close())
  const picture = async () => [
    panel.kernel.picture(),
    await panel.db.selectFrom('tunnel').selectAll().where('deleted_date', 'is', null).execute(),
    await panel.db.selectFrom('route_rule').selectAll().where('deleted_date', 'is', null).execute(),
    await panel.db.selectFrom('setting').selectAll().execute(),
    await panel.db.selectFrom('address_pool').selectAll().execute(),
  ]
  const backup = (tunnels: readonly object[], routes: readonly object[] = RULES.slice(0, 30)) =>
    backupOf({
      settings: { 'display.theme': 'dark' },
      pools: [{ address_pool_title: 'Good', cidr: '10.2.0.0/16' }],
      tunnels: [...tunnels],
      routes: [...routes],
    })
  const few = TUNNELS.slice(0, 12)

  it('puts back 100 tunnels and 1,000 rules where one item fails, and says which', async () => {
    const before = await picture()
    const last = { ...RULES[0], route_rule_title: 'wrong', bind_port: 70_000 }
    const { status, body } = await importInto(operator, backup(TUNNELS, [...RULES, last]), { is_atomic: true })
    assert.deepEqual([status, body.is_taken_back, body.counts.failed], [200, true, 1])
    assert.deepEqual([body.counts.create, body.actions.at(-1)?.action], [1101, 'failed'])
    assert.match(body.note, /everything was put back/)
    assert.deepEqual(await picture(), before)
    assert.equal(panel.settings.get('display.theme'), 'system')
    assert.equal(panel.windows.probe().window, null)
  })

  it('stays where none fails, with nothing left to confirm', async () => {
    const { body } = await importInto(operator, backup(few), { is_atomic: true })
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

  it('has the panel for itself: what is sent meanwhile waits for nothing, and is refused with the reason', async () => {
    const tunnel = (await createTunnel(operator)).body.tunnel.tunnel_id
    const importing = importInto(operator, backup([...few, WRONG]), { is_atomic: true })
    while (panel.kernel.held.size < 3) await new Promise((resolve) => setImmediate(resolve))
    const { window } = (await operator.get<SafeApplyAnswer>('/safe-apply')).body
    const { window_id } = window ?? assert.fail('no window')
    const sent = await Promise.all([
      operator.patch(`/tunnels/${tunnel}`, { mtu: 1400 }),
      operator.put('/settings', { 'tunnel.default_mtu': 1300 }),
      operator.post('/pools', { address_pool_title: 'Another', cidr: '10.201.0.0/16' }),
      operator.post('/safe-apply', {}),
      operator.post('/safe-apply/confirm', { window_id }),
      operator.post('/safe-apply/cancel', { window_id }),
      operator.post('/safe-apply/extend', { window_id, seconds: 60 }),
    ])
    for (const { status, error, headers } of sent)
      assert.deepEqual(
        [status, error.code, /safe_apply.whole_under_way/.test(String(headers['x-message']))],
        [409, 'SAFE_APPLY_UNDER_WAY', true],
      )
    const { body } = await importing
    assert.deepEqual([body.is_taken_back, panel.kernel.held.size], [true, 1])
    assert.equal((await operator.patch(`/tunnels/${tunnel}`, { mtu: 1400 })).status, 200)
  })

  it('waits for the command that is under way, which is not put back with it', async () => {
    const tunnel = (await createTunnel(operator)).body.tunnel.tunnel_id
    const [changed, { body }] = await Promise.all([
      operator.patch(`/tunnels/${tunnel}`, { mtu: 1400 }),
      importInto(operator, backup([WRONG]), { is_atomic: true }),
    ])
    assert.deepEqual([changed.status, body.is_taken_back], [200, true])
    assert.equal(panel.kernel.held.get('gre-a-1')?.state?.config.mtu, 1400)
  })

  it('that is ended at the socket of the root helper changes nothing from then on, and is put back', async () => {
    const before = await picture()
    const importing = importInto(operator, backup(few), { is_atomic: true })
    while (panel.kernel.held.size < 3) await new Promise((resolve) => setImmediate(resolve))
    await panel.windows.cancel({ window_id: panel.windows.probe().window?.window_id ?? '' })
    const { body } = await importing
    assert.equal(body.is_taken_back, true)
    assert.ok(body.counts.failed > 0)
    assert.deepEqual(await picture(), before)
  })

  it('goes on with the rest where it is not to be whole', async () => {
    const { body } = await importInto(operator, backup([WRONG, ...TUNNELS.slice(0, 2)]), {})
    assert.deepEqual([body.is_taken_back, body.counts.failed, panel.kernel.held.size], [false, 1, 2])
  })
})
