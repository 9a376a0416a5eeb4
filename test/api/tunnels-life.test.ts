// Up, down, restart and reapply over a fake kernel (reference.md, States; decisions.md, T13, R24, S17).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { act, createTunnel, deleteTunnel, getTunnel } from './support/tunnels.ts'

const UNIT = 'tunnel-panel-link-gre-a-1.service'
const V6 = { address: 'fd00:1::1', prefix_length: 64 }

describe('The life of a tunnel', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await createTunnel(client, { addresses: [{ address: '10.9.0.1', prefix_length: 30 }, V6] })
    panel.kernel.changes.length = 0
  })
  afterEach(() => panel.close())

  const link = () => panel.kernel.held.get('gre-a-1')
  const kinds = (steps: readonly { kind: string }[]): string[] => steps.map(({ kind }) => kind)

  it('down keeps the interface with its addresses, down, and lets no reboot bring it back', async () => {
    const index = link()?.index
    const { status, body } = await act(client, 1, 'down')
    assert.equal(status, 200)
    assert.deepEqual(
      [body.action, body.verification.ok, body.warnings, body.tunnel.is_enabled, body.tunnel.apply_status],
      ['down', true, [], false, 'Applied'],
    )
    assert.deepEqual(kinds(body.plan.steps), ['systemd_disable', 'link_down', 'address_add'])
    assert.deepEqual(
      [link()?.index, link()?.state?.is_up, link()?.state?.config.addresses.length, panel.kernel.enabled.size],
      [index, false, 2, 0],
    )
    assert.equal((await getTunnel(client, 1)).body.is_enabled, false)
  })

  it('up after down brings it up and lets boot bring it back', async () => {
    const picture = panel.kernel.picture()
    await act(client, 1, 'down')
    const { status, body } = await act(client, 1, 'up')
    assert.deepEqual(
      [status, body.action, body.verification.ok, body.tunnel.is_enabled, body.tunnel.observed.is_up],
      [200, 'up', true, true, true],
    )
    assert.deepEqual([kinds(body.plan.steps), panel.kernel.picture()], [['link_up', 'systemd_enable'], picture])
  })

  it('up of a tunnel that is up, and down of one that is down, change nothing and are verified', async () => {
    for (const [first, again] of [
      ['up', 'up'],
      ['down', 'down'],
    ] as const) {
      await act(client, 1, first)
      const picture = panel.kernel.picture()
      const { status, body } = await act(client, 1, again)
      assert.deepEqual(
        [status, body.plan.operation, body.verification.ok, panel.kernel.picture()],
        [200, 'none', true, picture],
      )
    }
  })

  it('of a runtime tunnel touches no unit', async () => {
    const { body } = await createTunnel(client, { persistence_type_id: 30 })
    const down = await act(client, body.tunnel.tunnel_id, 'down')
    assert.deepEqual([down.status, kinds(down.body.plan.steps)], [200, ['link_down']])
  })

  it('restart takes the link down and brings it up again as stored, without recreating it', async () => {
    const picture = panel.kernel.picture()
    const index = link()?.index
    const { status, body } = await act(client, 1, 'restart')
    assert.deepEqual([status, body.action, body.verification.ok], [200, 'restart', true])
    assert.deepEqual(
      [kinds(body.plan.steps), panel.kernel.changes],
      [
        ['link_down', 'address_add', 'link_up'],
        ['down gre-a-1', 'address gre-a-1 fd00:1::1', 'up gre-a-1'],
      ],
    )
    assert.deepEqual([panel.kernel.picture(), link()?.index], [picture, index])
  })

  it('restart of a tunnel that is down leaves it down', async () => {
    await act(client, 1, 'down')
    const { status, body } = await act(client, 1, 'restart')
    assert.deepEqual([status, body.plan.steps, link()?.state?.is_up, body.tunnel.is_enabled], [200, [], false, false])
  })

  for (const action of ['restart', 'reapply'] as const) {
    it(`${action} makes an interface that is missing, and a unit that is missing`, async () => {
      const picture = panel.kernel.picture()
      panel.kernel.held.clear()
      panel.kernel.files.clear()
      panel.kernel.enabled.clear()
      const { status, body } = await act(client, 1, action)
      assert.deepEqual(
        [status, body.plan.operation, body.verification.ok, body.tunnel.observed.exists, panel.kernel.picture()],
        [200, 'create', true, true, picture],
      )
    })

    it(`${action} corrects an outer header that drifted in place`, async () => {
      const picture = panel.kernel.picture()
      const held = link()
      assert(held?.state)
      held.state.config = { ...held.state.config, ttl: 3, ikey: 5, mtu: 1111 }
      const { status, body } = await act(client, 1, action)
      assert.deepEqual([status, body.plan.requires_recreate, panel.kernel.picture()], [200, false, picture])
      assert.equal(link()?.index, held.index)
    })

    it(`${action} recreates a link that drifted where only a new one can be as stored`, async () => {
      const picture = panel.kernel.picture()
      const state = link()?.state
      assert(state)
      state.config = { ...state.config, kind: 'gretap', mtu: 1111 }
      const { status, body } = await act(client, 1, action)
      assert.deepEqual(
        [status, body.plan.requires_recreate, body.plan.recreate_reasons, panel.kernel.picture()],
        [200, true, ['kind'], picture],
      )
    })
  }

  it('reapply of a tunnel as stored does nothing and says so', async () => {
    const { status, body } = await act(client, 1, 'reapply')
    assert.deepEqual(
      [status, body.action, body.plan.steps, body.verification.ok, body.warnings, panel.kernel.changes],
      [200, 'reapply', [], true, [], []],
    )
  })

  it('reapply is the remedy for drift: only what differs is put right', async () => {
    const picture = panel.kernel.picture()
    const state = link()?.state
    assert(state)
    const index = link()?.index
    state.config = { ...state.config, mtu: 1111, addresses: [] }
    state.is_up = false
    panel.kernel.enabled.delete(UNIT)
    const { status, body } = await act(client, 1, 'reapply')
    assert.equal(status, 200)
    assert.deepEqual(kinds(body.plan.steps), [
      'link_set_mtu',
      'address_add',
      'address_add',
      'link_up',
      'systemd_enable',
    ])
    assert.deepEqual([panel.kernel.picture(), link()?.index], [picture, index])
  })

  it('does not write over an edited unit file, nor take over a link of another kind', async () => {
    panel.kernel.files.set(UNIT, `${panel.kernel.files.get(UNIT)}# mine\n`)
    for (const action of ['down', 'reapply'] as const)
      assert.equal((await act(client, 1, action)).error.code, 'FOREIGN_UNIT_FILE', action)
    panel.kernel.files.delete(UNIT)
    panel.kernel.plant('gre-a-1', { kind: 'vxlan' })
    assert.equal((await act(client, 1, 'reapply')).error.code, 'PROTECTED_INTERFACE')
    assert.equal((await getTunnel(client, 1)).body.apply_status, 'Applied')
  })

  it('of a tunnel that is not there, or not any more, is 404', async () => {
    assert.equal((await act(client, 9, 'up')).status, 404)
    await deleteTunnel(client, 1)
    for (const action of ['up', 'down', 'restart', 'reapply'] as const)
      assert.equal((await act(client, 1, action)).status, 404)
  })

  it('is in the audit log under TunnelEnable, TunnelDisable and TunnelReapply', async () => {
    for (const action of ['down', 'up', 'restart', 'reapply'] as const) await act(client, 1, action)
    const entries = await panel.db
      .selectFrom('audit_log')
      .selectAll()
      .where('audit_action_id', 'in', [70, 80, 90])
      .orderBy('audit_log_id')
      .execute()
    assert.deepEqual(
      entries.map((entry) => [entry.audit_action_id, entry.target_id, entry.is_success]),
      [
        [80, 1, 1],
        [70, 1, 1],
        [90, 1, 1],
        [90, 1, 1],
      ],
    )
    assert.deepEqual(JSON.parse(entries[0]?.operations ?? ''), ['systemd_disable', 'link_down', 'address_add'])
  })
})
