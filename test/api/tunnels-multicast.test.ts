// Whether the link of a tunnel takes multicast (decisions.md, T47).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { adopt, itemOf, plantByHand } from './support/reconcile.ts'
import { createTunnel, patchTunnel } from './support/tunnels.ts'

describe('Multicast of a tunnel', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await createTunnel(client, { ikey: 7, okey: 7 })
  })
  afterEach(() => panel.close())

  it('is switched in place and in the saved file, and is not taken along to another kind', async () => {
    const held = () => panel.kernel.held.get('gre-a-1')?.state?.config
    const switched = async (is_multicast: boolean | null) => {
      const { body } = await patchTunnel(client, 1, { is_multicast })
      const [unit = ''] = panel.kernel.files.values()
      return [
        body.plan.steps.map(({ description }) => description)[0],
        unit.includes('multicast on'),
        body.plan.requires_recreate,
      ]
    }
    assert.deepEqual(await switched(true), ['Switch multicast on at gre-a-1.', true, false])
    assert.equal(held()?.is_multicast, true)
    assert.deepEqual(await switched(null), ['Switch multicast off at gre-a-1.', false, false])
    assert.deepEqual((await patchTunnel(client, 1, { is_multicast: false })).body.plan.steps, [])
    await patchTunnel(client, 1, { is_multicast: null })
    await patchTunnel(client, 1, { tunnel_type_id: 20, confirm_recreate: true })
    assert.deepEqual([held()?.kind, held()?.is_multicast], ['gretap', undefined])
    await patchTunnel(client, 1, { is_multicast: false })
    assert.equal(held()?.is_multicast, false)
  })

  it('is kept in the .network file of systemd-networkd, and in none as the type begins with', async () => {
    const lines = async (fields: object): Promise<string[]> => {
      const { body } = await patchTunnel(client, 1, { ...fields, confirm_recreate: true })
      assert.ok(body.verification.ok)
      return [...panel.kernel.files]
        .map(([name, text]) => `${name.slice(-8)} ${/Multicast=.*/.exec(text)?.[0] ?? ''}`)
        .sort()
    }
    const kept = { persistence_type_id: 20, is_multicast: true }
    assert.deepEqual(await lines(kept), ['.network Multicast=yes', '1.netdev '])
    assert.deepEqual(await lines({ is_multicast: null }), ['.network ', '1.netdev '])
    assert.deepEqual(await lines({ tunnel_type_id: 20, is_multicast: true }), ['.network ', '1.netdev '])
    assert.deepEqual(await lines({ is_multicast: false }), ['.network Multicast=no', '1.netdev '])
  })

  it('that another program has switched is drift, which storing it ends without a step for the link', async () => {
    const link = panel.kernel.held.get('gre-a-1')?.state
    assert(link)
    link.config = { ...link.config, is_multicast: true }
    assert.equal((await itemOf(client, 'gre-a-1')).status, 'Drifted')
    const { plan } = (await patchTunnel(client, 1, { is_multicast: true })).body
    assert.deepEqual(
      [plan.steps.map(({ kind }) => kind), (await itemOf(client, 'gre-a-1')).status],
      [['file_write'], 'InSync'],
    )
  })

  it('of a link made by hand is adopted, and then changed with the link that it was', async () => {
    plantByHand(panel.kernel, 'ospf', { remote_endpoint: '198.51.100.9', is_multicast: true })
    const index = panel.kernel.held.get('ospf')?.index
    const { body } = await adopt(client, { interface_name: 'ospf' })
    assert.deepEqual([body.tunnel.is_multicast, body.plan.steps], [true, []])
    const { tunnel, plan } = (await patchTunnel(client, body.tunnel.tunnel_id, { ttl: 9, mtu: 1300 })).body
    assert.deepEqual([plan.steps.map(({ kind }) => kind), tunnel.is_multicast], [['link_set'], true])
    const held = panel.kernel.held.get('ospf')
    assert.deepEqual([held?.index, held?.state?.config.is_multicast], [index, true])
  })
})
