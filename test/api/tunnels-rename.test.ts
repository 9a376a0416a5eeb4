// PATCH of interface_name over a fake kernel: one change of two names, made only where the new one is free.
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { codesOf, createTunnel, patchTunnel } from './support/tunnels.ts'

describe('A tunnel gets another name', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await createTunnel(client)
  })
  afterEach(() => panel.close())

  it('by recreating it: the old link and unit are gone, the new ones are there, and the name counts as given', async () => {
    const { status, body } = await patchTunnel(client, 1, { interface_name: 'berlin', confirm_recreate: true })
    assert.deepEqual([status, body.plan.operation, body.plan.interface], [200, 'recreate', 'berlin'])
    assert.deepEqual(
      body.plan.steps.map(({ kind }) => kind),
      [
        'systemd_disable',
        'file_remove',
        'link_delete',
        'link_create',
        'address_add',
        'link_up',
        'file_write',
        'systemd_enable',
      ],
    )
    assert.deepEqual(
      [[...panel.kernel.held.keys()], [...panel.kernel.files.keys()], [...panel.kernel.enabled]],
      [['berlin'], ['tunnel-panel-link-berlin.service'], ['tunnel-panel-link-berlin.service']],
    )
    assert.deepEqual(
      [body.tunnel.tunnel_id, body.tunnel.is_name_templated, body.tunnel.observed.exists],
      [1, false, true],
    )
    assert(body.verification.checks.some(({ name, expected }) => name === 'gone.exists' && expected === 'no'))
    assert.deepEqual(
      body.verification.checks.map(({ name }) => name),
      body.plan.verification.map(({ name }) => name),
    )
    const back = await patchTunnel(client, 1, { interface_name: 'gre-a-1', confirm_recreate: true })
    assert.equal(back.body.tunnel.is_name_templated, true)
  })

  it('only where the name is free: of another tunnel, of an interface that is none, of one to adopt, of a unit file', async () => {
    await createTunnel(client, { interface_name: 'mine' })
    assert.deepEqual(codesOf(await patchTunnel(client, 1, { interface_name: 'mine', confirm_recreate: true })), {
      interface_name: 'TUNNEL_NAME_CONFLICT',
    })
    assert.deepEqual(codesOf(await patchTunnel(client, 1, { interface_name: 'eth0', confirm_recreate: true })), {
      interface_name: 'TUNNEL_NAME_CONFLICT',
    })
    assert.deepEqual(codesOf(await patchTunnel(client, 1, { interface_name: 'gre0', confirm_recreate: true })), {
      interface_name: 'INTERFACE_NAME_RESERVED',
    })
    const state = panel.kernel.held.get('mine')?.state
    assert(state)
    panel.kernel.plant('stray', { state: { ...state, config: { ...state.config, remote_endpoint: '198.51.100.200' } } })
    assert.equal(
      (await patchTunnel(client, 1, { interface_name: 'stray', confirm_recreate: true })).error.code,
      'ADOPTABLE',
    )
    panel.kernel.files.set('tunnel-panel-link-theirs.service', '[Unit]\n')
    assert.equal(
      (await patchTunnel(client, 1, { interface_name: 'theirs', confirm_recreate: true })).error.code,
      'FOREIGN_UNIT_FILE',
    )
    assert(panel.kernel.held.has('gre-a-1'))
  })
})
