// Changes of a tunnel by hand that no reapply alone can put right: each says what to do (reference.md, Reconcile;
// decisions.md, S8, S10).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { itemOf, reapply } from './support/reconcile.ts'
import { createTunnel } from './support/tunnels.ts'

let panel: TestPanel
let client: Client
const begin = async (): Promise<void> => {
  panel = await startPanel()
  client = await panel.setUp()
  await createTunnel(client)
}

describe('A link that was renamed by hand', () => {
  beforeEach(begin)
  afterEach(() => panel.close())

  it('is named in the refusal of a reapply, with how to rename it back', async () => {
    const { held } = panel.kernel
    const link = held.get('gre-a-1')
    assert(link)
    held.delete('gre-a-1')
    held.set('renamed', link)
    const { status, error } = await reapply(client, 1)
    assert.deepEqual([status, error.code], [409, 'CONFLICT'])
    assert.match(
      error.message,
      /The link renamed has the ends and the key of gre-a-1.*"ip link set dev renamed name gre-a-1"/,
    )
  })
})

describe('A drop-in of another program', () => {
  beforeEach(begin)
  afterEach(() => panel.close())

  it('that overrides the unit of a tunnel is reported, with what to do, and no change of the tunnel is refused for it', async () => {
    const unit = 'tunnel-panel-link-gre-a-1.service'
    panel.kernel.files.set(`${unit}.d/override.conf`, '[Service]\nExecStart=/bin/true\n')
    const { status, detail } = await itemOf(client, 'gre-a-1')
    assert.deepEqual(
      [status, detail.includes(`${unit}.d`), /systemctl revert/.test(detail)],
      ['Inconsistent', true, true],
    )
    assert.equal((await client.patch('/tunnels/1', { mtu: 1300 })).status, 200)
    panel.kernel.files.delete(`${unit}.d/override.conf`)
    assert.equal((await itemOf(client, 'gre-a-1')).status, 'InSync')
  })
})
