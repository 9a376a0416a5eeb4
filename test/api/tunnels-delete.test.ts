// Tunnels deleted through HTTP, over a fake kernel (reference.md, Tunnels).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { adopt, forget } from './support/reconcile.ts'
import { createTunnel, deleteTunnel, getTunnel } from './support/tunnels.ts'

const UNIT = '/etc/systemd/system/tunnel-panel-link-gre-a-1.service'

describe('Deleting a tunnel', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  describe('DELETE /tunnels/{id}', () => {
    it('takes the link and the unit away and says so; again it says that they are gone; GET is then 404', async () => {
      await createTunnel(client)
      const { status, body } = await deleteTunnel(client, 1)
      assert.equal(status, 200)
      assert.deepEqual(
        [body.interface, body.interface_found, body.already_deleted, body.files_removed, body.files_absent],
        ['gre-a-1', true, false, [UNIT], []],
      )
      assert.deepEqual(
        body.plan.steps.map(({ kind }) => kind),
        ['systemd_disable', 'file_remove', 'link_delete'],
      )
      assert.deepEqual([panel.kernel.held.size, panel.kernel.files.size], [0, 0])
      assert.equal((await getTunnel(client, 1)).status, 404)
      const again = await deleteTunnel(client, 1)
      assert.deepEqual([again.status, again.body.interface_found, again.body.already_deleted], [200, false, true])
      assert.deepEqual(Object.keys(again.body), Object.keys(body))
    })

    it('of an id that never was is 404', async () => {
      assert.deepEqual(
        [(await deleteTunnel(client, 9)).status, (await client.delete('/tunnels/abc')).status],
        [404, 404],
      )
    })

    it('of a tunnel that was forgotten says that it is there and not managed, and once it is gone that it is deleted', async () => {
      await createTunnel(client)
      await forget(client, 1)
      const { status, error } = await deleteTunnel(client, 1)
      assert.deepEqual([status, error.code], [409, 'INTERFACE_NOT_MANAGED'])
      assert.match(error.message, /gre-a-1.*adopt it/)
      assert.ok(panel.kernel.held.has('gre-a-1'))
      const { tunnel } = (await adopt(client, { interface_name: 'gre-a-1', persistence_type_id: 10, takeover: true }))
        .body
      assert.equal((await deleteTunnel(client, 1)).body.already_deleted, true)
      assert.equal((await deleteTunnel(client, tunnel.tunnel_id)).body.interface_found, true)
      for (const id of [1, tunnel.tunnel_id])
        assert.deepEqual(
          [
            (await deleteTunnel(client, id)).body.already_deleted,
            (await deleteTunnel(client, id)).body.interface_found,
          ],
          [true, false],
        )
    })

    it('says what it did not find if another program was quicker', async () => {
      await createTunnel(client)
      panel.kernel.held.clear()
      panel.kernel.files.clear()
      panel.kernel.enabled.clear()
      const { status, body } = await deleteTunnel(client, 1)
      assert.deepEqual([status, body.interface_found, body.files_removed, body.files_absent], [200, false, [], [UNIT]])
    })

    it('leaves an edited unit alone: 409 while it is enabled, and 200 with a note when it is not', async () => {
      await createTunnel(client)
      const name = UNIT.split('/').at(-1) ?? ''
      panel.kernel.files.set(name, `${panel.kernel.files.get(name)}# mine\n`)
      const refused = await deleteTunnel(client, 1)
      assert.deepEqual([refused.status, refused.error.code, panel.kernel.held.size], [409, 'FOREIGN_UNIT_FILE', 1])
      panel.kernel.enabled.clear()
      const { status, body } = await deleteTunnel(client, 1)
      assert.deepEqual([status, body.interface_found, body.files_kept, body.files_removed], [200, true, [UNIT], []])
      assert(panel.kernel.files.has(name))
    })

    it('frees number, subnet and name, and never gives the id again', async () => {
      await createTunnel(client)
      await deleteTunnel(client, 1)
      const { body } = await createTunnel(client)
      assert.deepEqual(
        [body.tunnel.tunnel_id, body.tunnel.tunnel_number, body.tunnel.interface_name],
        [2, 1, 'gre-a-1'],
      )
      assert.equal((await deleteTunnel(client, 1)).body.already_deleted, true)
      assert(panel.kernel.held.has('gre-a-1'), 'the tunnel that took over the name stays')
    })
  })
})

describe('DELETE of the tunnel that the request comes through', () => {
  it('is refused with 409 until the operator accepts losing access, whatever a header says', async () => {
    const panel = await startPanel()
    const client = await panel.setUp()
    // No address inside a tunnel may be loopback, so the store gets one behind the API's back.
    await createTunnel(client)
    await panel.db
      .updateTable('tunnel_address')
      .set({ address: '127.0.0.9', peer_address: '127.0.0.10', prefix_length: 24 })
      .execute()
    const refused = await client.delete('/tunnels/1', undefined, { headers: { 'X-Forwarded-For': '203.0.113.9' } })
    assert.deepEqual(
      [refused.status, refused.error.code, refused.error.field],
      [409, 'WOULD_CUT_OWN_ACCESS', 'i_understand_i_may_lose_access'],
    )
    assert(panel.kernel.held.has('gre-a-1'))
    assert.equal((await deleteTunnel(client, 1, { i_understand_i_may_lose_access: false })).status, 409)
    assert.equal((await deleteTunnel(client, 1, { i_understand_i_may_lose_access: true })).status, 200)
    await panel.close()
  })

  it('is not confused by a client that only claims to come from there', async () => {
    const panel = await startPanel()
    const client = await panel.setUp()
    await createTunnel(client)
    const { status } = await client.delete('/tunnels/1', undefined, { headers: { 'X-Forwarded-For': '172.17.1.2' } })
    assert.equal(status, 200)
    await panel.close()
  })
})
