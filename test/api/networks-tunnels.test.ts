// What is done to a tunnel that is a path of networks (decisions.md, T36).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import {
  createNetwork,
  getNetwork,
  eachPanelWithTunnels,
  patchNetwork,
  PREFERRED,
  statesOf,
} from './support/networks.ts'
import type { TestPanel } from './support/panel.ts'
import { act, deleteTunnel, getTunnel, listTunnels, patchTunnel } from './support/tunnels.ts'

describe('A network behind tunnels', () => {
  let panel: TestPanel
  let client: Client
  eachPanelWithTunnels((made) => ({ panel, client } = made))

  const kept = (destination: string) => panel.kernel.networks.held.get(destination)
  const carrying = (destination: string): string[] =>
    (panel.kernel.networks.routes.get(destination)?.paths ?? []).map(({ interface_name }) => interface_name)

  describe('over a tunnel', () => {
    beforeEach(async () => {
      await createNetwork(client, { network_title: 'Office', paths: PREFERRED })
    })

    it('that is taken down goes over the next one, and back when it is up', async () => {
      const down = await act(client, 1, 'down')
      assert.deepEqual([down.status, carrying('10.50.0.0/16')], [200, ['gre-a-2']])
      const { paths, lacks, apply_status } = (await getNetwork(client, 1)).body
      assert.deepEqual(
        [paths[0]?.state, paths[0]?.reason, lacks, apply_status],
        ['out', 'gre-a-1 is disabled.', [], 'Applied'],
      )
      await act(client, 1, 'up')
      assert.deepEqual(carrying('10.50.0.0/16'), ['gre-a-1'])
      await patchTunnel(client, 1, { is_enabled: false })
      assert.deepEqual(carrying('10.50.0.0/16'), ['gre-a-2'])
      await patchTunnel(client, 1, { is_enabled: true })
      assert.deepEqual(carrying('10.50.0.0/16'), ['gre-a-1'])
    })

    it('that is taken down beside no other that is up stays as it was', async () => {
      await act(client, 2, 'down')
      const before = kept('10.50.0.0/16')
      assert.deepEqual([(await act(client, 1, 'down')).status, kept('10.50.0.0/16')], [200, before])
    })

    it('that is deleted is refused with its name, unless it is forced', async () => {
      const refused = await deleteTunnel(client, 1)
      assert.deepEqual([refused.status, refused.error.code, refused.error.field], [409, 'TUNNEL_IS_PATH', 'force'])
      assert.match(refused.error.message, /“Office”/)
      assert.equal((await getTunnel(client, 1)).status, 200)
      const forced = await deleteTunnel(client, 1, { force: true })
      assert.deepEqual(
        [forced.status, forced.body.dependent_networks.map(({ network_title }) => network_title)],
        [200, ['Office']],
      )
      assert.deepEqual(
        [statesOf((await getNetwork(client, 1)).body), carrying('10.50.0.0/16')],
        [{ 'gre-a-2': 'carries' }, ['gre-a-2']],
      )
    })

    it('that is its only path is never deleted, forced or not', async () => {
      await patchNetwork(client, 1, { paths: [{ tunnel_id: 1 }] })
      for (const body of [undefined, { force: true }]) {
        const { status, error } = await deleteTunnel(client, 1, body)
        assert.deepEqual([status, error.code], [409, 'TUNNEL_IS_PATH'])
      }
      assert.equal((await listTunnels(client)).body.total, 2)
    })

    it('gets no other name, and is not forgotten', async () => {
      const renamed = await patchTunnel(client, 1, { interface_name: 'gre-x', confirm_recreate: true })
      assert.deepEqual(
        [renamed.status, renamed.error.code, renamed.error.field],
        [409, 'TUNNEL_IS_PATH', 'interface_name'],
      )
      const forgotten = await client.post('/reconcile/1/forget')
      assert.deepEqual([forgotten.status, forgotten.error.code], [409, 'TUNNEL_IS_PATH'])
      assert.equal((await getTunnel(client, 1)).body.interface_name, 'gre-a-1')
    })

    it('that is made again goes on', async () => {
      const { status } = await patchTunnel(client, 1, { tunnel_type_id: 20, confirm_recreate: true })
      await panel.kernel.networks.follow()
      assert.deepEqual([status, (await getNetwork(client, 1)).body.lacks], [200, []])
    })
  })
})
