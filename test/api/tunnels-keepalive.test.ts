// The unit that pings through a tunnel (decisions.md, R10, R17, R18).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { itemOf, reapply } from './support/reconcile.ts'
import { act, codesOf, createTunnel, deleteTunnel, patchTunnel } from './support/tunnels.ts'

const [NETWORKD, RUNTIME] = [20, 30]
const UNIT = 'tunnel-panel-link-gre-a-1.service'
const KEEPALIVE = 'tunnel-panel-keepalive-gre-a-1.service'

describe('The keepalive of a tunnel', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  const files = (): string[] => [...panel.kernel.files.keys()].sort()
  const textOf = (name: string): string => panel.kernel.files.get(name) ?? ''
  const change = (persistence_type_id: number) =>
    patchTunnel(client, 1, { persistence_type_id, confirm_recreate: true })

  describe('and its keepalive', () => {
    it('is a unit of its own beside what keeps the tunnel, enabled while the tunnel is up', async () => {
      const { body } = await createTunnel(client, { keepalive_interval_seconds: 2.5, keepalive_packet_size: 100 })
      assert.deepEqual(
        body.plan.files.map(({ kind }) => kind),
        ['systemd_unit', 'systemd_keepalive_unit'],
      )
      assert.deepEqual(
        [body.tunnel.keepalive_interval_seconds, body.tunnel.keepalive_packet_size, body.verification.ok],
        [2.5, 100, true],
      )
      assert.match(textOf(KEEPALIVE), /^ExecStart=\/usr\/bin\/ping -n -q -I gre-a-1 -i 2.5 -s 100 172\.17\.1\.2$/m)
      assert.deepEqual([...panel.kernel.enabled].sort(), [KEEPALIVE, UNIT])
      await act(client, 1, 'down')
      assert.deepEqual([[...panel.kernel.enabled], files()], [[], [KEEPALIVE, UNIT]])
      await act(client, 1, 'up')
      assert.deepEqual([...panel.kernel.enabled].sort(), [KEEPALIVE, UNIT])
    })

    it('is none where nobody asks for it, since the setting is monitor_only', async () => {
      const { body } = await createTunnel(client)
      assert.deepEqual(
        [body.tunnel.keepalive_interval_seconds, body.tunnel.keepalive_packet_size, files()],
        [null, 56, [UNIT]],
      )
    })

    it('comes, changes and goes in place, and pings the far end that the addresses tell', async () => {
      await createTunnel(client, { persistence_type_id: NETWORKD })
      const steps = async (body: object) => (await patchTunnel(client, 1, body)).body.plan.steps.map(({ kind }) => kind)
      assert.deepEqual(await steps({ keepalive_interval_seconds: 1 }), ['file_write', 'systemd_enable'])
      assert.deepEqual(await steps({ keepalive_packet_size: 0 }), ['file_write'])
      await patchTunnel(client, 1, { addresses: [{ address: '10.9.0.1', prefix_length: 31 }] })
      assert.match(textOf(KEEPALIVE), /-s 0 10\.9\.0\.0$/m)
      assert.deepEqual(await steps({ keepalive_interval_seconds: null }), ['systemd_disable', 'file_remove'])
    })

    it('is drift while it was stopped by hand, which a reapply starts again, and a deletion takes away as ever', async () => {
      await createTunnel(client, { keepalive_interval_seconds: 1 })
      panel.kernel.stopped.add(KEEPALIVE)
      const seen = await itemOf(client, 'gre-a-1')
      assert.deepEqual(
        [seen.status, seen.diffs],
        ['Drifted', [{ field: 'systemd_keepalive_unit.is_enabled', desired: 'yes', actual: 'yes, but stopped' }]],
      )
      assert.match(seen.detail, /is yes, but stopped instead of yes\. Reapply corrects it in place/)
      const { plan, verification } = (await reapply(client, 1)).body
      assert.deepEqual([plan.steps.map(({ kind }) => kind), verification.ok], [['systemd_enable'], true])
      assert.deepEqual([(await itemOf(client, 'gre-a-1')).status, panel.kernel.stopped.size], ['InSync', 0])
      panel.kernel.stopped.add(KEEPALIVE)
      await deleteTunnel(client, 1)
      assert.deepEqual([files(), panel.kernel.enabled.size], [[], 0])
    })

    it('is deleted with the tunnel', async () => {
      await createTunnel(client, { keepalive_interval_seconds: 1 })
      const { body } = await deleteTunnel(client, 1)
      assert.deepEqual([body.files_removed.length, files(), panel.kernel.enabled.size], [2, [], 0])
    })

    it('is refused where nothing brings the tunnel back, and where no address tells the far end: 422', async () => {
      const wrong = [{ persistence_type_id: RUNTIME }, { addresses: [{ address: '10.9.0.1', prefix_length: 24 }] }]
      for (const body of wrong)
        assert.deepEqual(codesOf(await createTunnel(client, { keepalive_interval_seconds: 1, ...body })), {
          keepalive_interval_seconds: 'INVALID_KEEPALIVE',
        })
      await createTunnel(client, { keepalive_interval_seconds: 1 })
      assert.deepEqual(codesOf(await change(RUNTIME)), { keepalive_interval_seconds: 'INVALID_KEEPALIVE' })
      assert.equal(
        (
          await patchTunnel(client, 1, {
            persistence_type_id: RUNTIME,
            keepalive_interval_seconds: null,
            confirm_recreate: true,
          })
        ).status,
        200,
      )
    })

    it('is not written over if it was edited: 409', async () => {
      await createTunnel(client, { keepalive_interval_seconds: 1 })
      panel.kernel.files.set(KEEPALIVE, `${textOf(KEEPALIVE)}# mine\n`)
      const { status, error } = await patchTunnel(client, 1, { keepalive_interval_seconds: 2 })
      assert.deepEqual([status, error.code], [409, 'FOREIGN_UNIT_FILE'])
    })
  })
})
