// What root says of tunnels that it finds: those of others too, under names that no unit file of ours can have.
import assert from 'node:assert/strict'
import { digestTunnels } from '@panel/root-helper/nouns/tunnel/digest.ts'
import { probeTunnels } from '@panel/root-helper/nouns/tunnel/probe.ts'
import { digestOf } from '@panel/web-daemon/features/reconcile/host.ts'
import { exampleTunnel } from '../../support/example.ts'
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
      (await digestTunnels(kernel)).map(({ interface_name, digest }) => [interface_name, digest]),
      [['gre-a-1', digestOf(state)]],
    )
  })

  it('as digests has every tunnel, and no link of another kind', async () => {
    kernel.plant('vx0', { kind: 'vxlan' })
    const found = await digestTunnels(kernel)
    assert.deepEqual(
      found.map(({ interface_name, digest, observed }) => [interface_name, digest === digestOf(null), observed?.kind]),
      [['gre-a-1', false, 'gre']],
    )
  })
})
