// What root reports of tunnels: foreign ones too, under names that no unit file of ours can have.
import assert from 'node:assert/strict'
import { digestTunnels } from '@panel/root-helper/nouns/tunnel/digest.ts'
import { probeTunnels } from '@panel/root-helper/nouns/tunnel/probe.ts'
import { digestOf } from '@panel/web-daemon/features/reconcile/host.ts'
import { renderSystemdUnit } from '@panel/shared/tunnel/systemd-unit.ts'
import { savedFileName } from '@panel/shared/tunnel/saved-file.ts'
import { exampleConfig, exampleTunnel } from '../../support/example.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'

describe('A probe of all tunnels', () => {
  let kernel: FakeKernel
  beforeEach(() => {
    kernel = new FakeKernel()
    kernel.plant('gre-a-1', { state: exampleTunnel().link })
  })

  it('shows a link whose name the panel cannot take, and the others beside it', async () => {
    kernel.plant('_gre1', { kind: 'gre' })
    const found = await probeTunnels(kernel, [])
    assert.deepEqual(
      found.map(({ interface_name, state, observed }) => [interface_name, state?.link?.config.mtu, observed?.kind]),
      [
        ['_gre1', undefined, 'gre'],
        ['gre-a-1', 1472, 'gre'],
      ],
    )
  })

  it('as digests says the same of each state as the web daemon says of what is stored', async () => {
    const state = { ...exampleTunnel(), saved: null }
    assert.deepEqual(
      (await digestTunnels(kernel)).tunnels.map(({ interface_name, digest }) => [interface_name, digest]),
      [['gre-a-1', digestOf(state)]],
    )
  })

  it('as digests has every tunnel, and no link of another kind', async () => {
    kernel.plant('vx0', { kind: 'vxlan' })
    const { tunnels: found } = await digestTunnels(kernel)
    assert.deepEqual(
      found.map(({ interface_name, digest, observed }) => [interface_name, digest === digestOf(null), observed?.kind]),
      [['gre-a-1', false, 'gre']],
    )
  })

  it('as digests is not sent again to who has it, and is after whatever has changed', async () => {
    const unit = savedFileName('systemd_unit', 'gre-a-1')
    for (const { index } of kernel.held.values()) await kernel.ownLinks.keep(index)
    let { revision: known } = await digestTunnels(kernel)
    const again = async (): Promise<[isUnchanged: boolean, sent: number]> => {
      const { revision, is_unchanged, tunnels } = await digestTunnels(kernel, known)
      assert.equal(is_unchanged, revision === known)
      known = revision
      return [is_unchanged, tunnels.length]
    }
    for (const change of [
      () => kernel.links.setMtu('gre-a-1', 1400),
      () => kernel.units.write(unit, 'text of somebody else'),
      async () => kernel.files.set(`${unit}.d/mine.conf`, ''),
      () => kernel.units.write(unit, renderSystemdUnit('gre-a-1', exampleConfig)),
      () => kernel.units.setEnabled(unit, true),
      async () => kernel.plant('gre-a-2', { kind: 'gre' }),
    ]) {
      await change()
      assert.deepEqual(await again(), [false, kernel.held.size])
      assert.deepEqual(await again(), [true, 0])
    }
  })

  it('as digests is sent to who knows another revision, or none', async () => {
    assert.equal((await digestTunnels(kernel, '0'.repeat(32))).tunnels.length, 1)
    assert.equal((await digestTunnels(kernel)).tunnels.length, 1)
  })
})
