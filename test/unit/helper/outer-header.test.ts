// The outer header of a link, changed in place, and with a new link where the kernel does not do that.
import assert from 'node:assert/strict'
import type { LinkConfig, TunnelState } from '@panel/shared/tunnel/model.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { asStates } from '@panel/shared/tunnel/plans.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { Transaction } from '@panel/root-helper/transaction.ts'
import { tunnelSubject } from '@panel/root-helper/nouns/tunnel/subject.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { exampleTunnel } from '../../support/example.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { routeThrough } from '../../support/fake-routes.ts'
import { FaultyKernel } from '../../support/faulty.ts'
import { quietly } from '../../support/quietly.ts'
import { noJournal } from '../../support/in-process-helper.ts'

const example = exampleTunnel()
const ROUTES = [routeThrough('10.50.0.0/16'), routeThrough('10.60.0.0/16', { gateway: '172.17.1.2', metric: 20 })]

async function hostWith(state: TunnelState): Promise<FakeKernel> {
  const kernel = new FakeKernel()
  await apply(kernel, { before: null, after: state })
  kernel.routesOfOthers.set(state.interface_name, [...ROUTES])
  kernel.changes.length = 0
  return kernel
}

const apply = (kernel: Kernel, change: Change<TunnelState>): Promise<Outcome> =>
  new Transaction(tunnelSubject(kernel), noJournal()).apply(asStates(change))

describe('A transaction of an outer header', () => {
  quietly()

  const header = { before: example, after: exampleTunnel({ ttl: 64, ikey: 12, remote_endpoint: '192.0.2.9' }) }
  const REFUSES = new KernelError('EINVAL', 'Invalid argument')
  const FORGETS = (config: LinkConfig): LinkConfig => ({ ...config, ttl: 1 })
  const index = (kernel: FakeKernel): number | undefined => kernel.held.get('gre-a-1')?.index

  it('changes it in place: the same link, and its foreign routes, in one step', async () => {
    const kernel = await hostWith(example)
    const was = index(kernel)
    const { outcome, steps } = await apply(kernel, header)
    assert.deepEqual([outcome, steps], ['applied', ['link_set', 'file_write']])
    assert.deepEqual([index(kernel), kernel.routesOfOthers.get('gre-a-1')], [was, ROUTES])
    assert.deepEqual(kernel.held.get('gre-a-1')?.state, header.after.link)
  })

  for (const [what, stubborn] of [
    ['refuses that', REFUSES],
    ['makes something else of it', FORGETS],
  ] as const)
    it(`makes a new link where the kernel ${what}, with the foreign routes, in the same transaction`, async () => {
      const kernel = await hostWith(example)
      const was = index(kernel)
      kernel.stubborn.set('gre-a-1', stubborn)
      const { outcome, steps } = await apply(kernel, header)
      assert.deepEqual(
        [outcome, steps.filter((step) => ['link_delete', 'link_create', 'route_add'].includes(step))],
        ['applied', ['link_delete', 'link_create', 'route_add', 'route_add']],
      )
      assert.notEqual(index(kernel), was)
      assert.deepEqual(kernel.held.get('gre-a-1')?.state, header.after.link)
      assert.deepEqual(kernel.routesOfOthers.get('gre-a-1'), ROUTES)
    })

  it('puts the old values back in place where a later step fails, and with a new link where it must', async () => {
    for (const stubborn of [null, REFUSES]) {
      const kernel = await hostWith(example)
      const [picture, was] = [kernel.picture(), index(kernel)]
      const faulty = new FaultyKernel(kernel, (request) => {
        if (request === 2 && stubborn) kernel.stubborn.set('gre-a-1', stubborn)
        return request === 2 ? 'refuses' : null
      })
      const { outcome } = await apply(faulty, header)
      assert.deepEqual([outcome, kernel.picture(), index(kernel) === was], ['restored', picture, stubborn === null])
    }
  })

  it('is refused where another link has these ends and this key, and the host stays as it is', async () => {
    const kernel = await hostWith(example)
    kernel.plant('other', { state: header.after.link })
    const picture = kernel.picture()
    await assert.rejects(apply(kernel, header), { code: 'stale_state', message: /The link other has the ends/ })
    assert.deepEqual([kernel.picture(), kernel.changes], [picture, []])
  })

  it('changes a link with a master and flags of its own in place or not at all, since a new link would lose them', async () => {
    for (const stubborn of [null, REFUSES]) {
      const kernel = await hostWith(example)
      const held = kernel.held.get('gre-a-1')
      held?.unmodelled.push('master br0', 'alias office', 'group 5', 'promisc on', 'allmulticast on')
      const picture = kernel.picture()
      if (stubborn) kernel.stubborn.set('gre-a-1', stubborn)
      const { outcome } = await apply(kernel, {
        before: example,
        after: exampleTunnel({ ttl: 64, is_multicast: true }),
      })
      assert.equal(outcome, stubborn ? 'restored' : 'applied')
      assert.equal(kernel.picture() === picture, stubborn !== null)
      assert.equal(kernel.held.get('gre-a-1'), held)
    }
  })
})
