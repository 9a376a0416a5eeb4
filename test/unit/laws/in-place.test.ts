// A link that is changed in place is the link that would have been made: for random configurations of a kind, over the
// fake kernel. test/vm/in-place.test.ts holds a real one to it.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { canonicalTunnel } from '@panel/shared/tunnel/canonical.ts'
import { FAR_END_FOLLOWS, fieldsToRecreate, outerChanges } from '@panel/shared/tunnel/in-place.ts'
import { LinkConfig, type TunnelState } from '@panel/shared/tunnel/model.ts'
import { planTunnel } from '@panel/shared/tunnel/plan.ts'
import { executeTunnelStep } from '@panel/root-helper/nouns/tunnel/execute.ts'
import { probeTunnel } from '@panel/root-helper/nouns/tunnel/probe.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { pairOfOneKind } from '../../support/random-states.ts'

const NAME = 'gre-a-1'
const stateOf = (config: LinkConfig): TunnelState | null =>
  canonicalTunnel({ interface_name: NAME, link: { is_up: true, config }, saved: null })

async function reach(kernel: FakeKernel, wanted: TunnelState | null, manner?: 'new_link'): Promise<TunnelState | null> {
  const { state } = await probeTunnel(kernel, NAME)
  for (const step of planTunnel(state, wanted, manner).steps) await executeTunnelStep(kernel, step)
  return (await probeTunnel(kernel, NAME)).state
}

/** What the header has nothing to do with. */
const OF_THE_LINK = ['link_set_txqueuelen', 'link_set_multicast']

describe('A link of one kind', () => {
  it('reads back the same after a change in place, after a new link in the place of the old, and made at once', async () => {
    await fc.assert(
      fc.asyncProperty(pairOfOneKind, async ([was, shall]) => {
        const found = await Promise.all(
          ([undefined, 'new_link', null] as const).map(async (manner) => {
            const kernel = new FakeKernel()
            if (manner !== null) await reach(kernel, stateOf(was))
            return reach(kernel, stateOf(shall), manner ?? undefined)
          }),
        )
        assert.deepEqual(found, [stateOf(shall), stateOf(shall), stateOf(shall)])
      }),
      { numRuns: 500 },
    )
  })

  it('changes its outer header in one step, its MTU with it, and keeps its index', async () => {
    await fc.assert(
      fc.asyncProperty(pairOfOneKind, async ([was, shall]) => {
        const kernel = new FakeKernel()
        const before = await reach(kernel, stateOf(was))
        const index = kernel.held.get(NAME)?.index
        const kinds = planTunnel(before, stateOf(shall)).steps.map(({ kind }) => kind)
        const after = await reach(kernel, stateOf(shall))
        assert.ok(before?.link && after?.link)
        const isHeader = outerChanges(before.link.config, after.link.config).length > 0
        const isMtu = before.link.config.mtu !== after.link.config.mtu
        assert.deepEqual(
          [
            kinds.filter((kind) => kind.startsWith('link_set') && !OF_THE_LINK.includes(kind)),
            kinds.includes('link_create'),
          ],
          [isHeader ? ['link_set'] : isMtu ? ['link_set_mtu'] : [], false],
        )
        assert.equal(kernel.held.get(NAME)?.index, index)
      }),
    )
  })
})

describe('The table of what changes in place', () => {
  const fields = Object.keys(LinkConfig.properties) as (keyof LinkConfig)[]
  it('leaves a new link for another kind, and, as the last resort, for any outer header', () => {
    fc.assert(
      fc.property(pairOfOneKind, ([was, shall]) => {
        assert.deepEqual(fieldsToRecreate(was, shall, 'in_place'), [])
        assert.deepEqual(fieldsToRecreate(was, shall, 'new_link'), outerChanges(was, shall))
        const other = { ...shall, kind: shall.kind === 'gre' ? ('gretap' as const) : ('gre' as const) }
        assert.deepEqual(fieldsToRecreate(was, other, 'in_place'), ['kind'])
      }),
    )
  })

  it('has every field of a link, and those that the far end has to follow are of the outer header', () => {
    const different = (field: keyof LinkConfig): [LinkConfig, LinkConfig] =>
      [1, 2].map((value) => ({ [field]: value })) as unknown as [LinkConfig, LinkConfig]
    const [kind, ...rest] = fields.filter((field) => fieldsToRecreate(...different(field), 'in_place').length > 0)
    assert.deepEqual([kind, rest], ['kind', []])
    const outer = fields.filter((field) => outerChanges(...different(field)).length > 0)
    assert.deepEqual(
      fields.filter((field) => field !== 'kind' && !outer.includes(field)),
      ['mtu', 'tx_queue_length', 'is_multicast', 'addresses'],
    )
    for (const field of FAR_END_FOLLOWS) assert.ok(outer.includes(field), field)
  })
})
