// How many connections the kernel tracks at most: raised and put back through the transaction, by bounds of root's own.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { CONNECTION_DETAILS, SWITCHES, switchesBy, type ForwardingState } from '@panel/shared/forwarding/model.ts'
import { withForwarding, withoutForwarding } from '@panel/shared/forwarding/plan.ts'
import { readSysctl } from '@panel/shared/forwarding/read-sysctl.ts'
import { doubled, sizeMost, withSize } from '@panel/shared/forwarding/size.ts'
import { renderSysctl } from '@panel/shared/forwarding/sysctl.ts'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { settingSwitches, startSwitches } from '@panel/root-helper/nouns/forwarding/start.ts'
import { forwardingSubject, hostChange, probeForwarding } from '@panel/root-helper/nouns/forwarding/subject.ts'
import { Transaction } from '@panel/root-helper/transaction.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { FaultyKernel, onlyAt } from '../../support/faulty.ts'
import { noJournal } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'
import { ID, Root } from '../window/root.ts'

const BEFORE = 262_144
const MORE = 524_288

const stateOf = async (kernel: Kernel): Promise<ForwardingState> => (await probeForwarding(kernel.forwarding)).state

async function apply(kernel: Kernel, after: ForwardingState, before?: ForwardingState) {
  const change = await hostChange(kernel.forwarding, { before: before ?? (await stateOf(kernel)), after })
  return (await new Transaction(forwardingSubject(kernel.forwarding), noJournal()).apply(change)).outcome
}

/** A kernel on which the panel has raised it. */
async function raised(): Promise<FakeKernel> {
  const kernel = new FakeKernel()
  assert.equal(await apply(kernel, withSize(await stateOf(kernel), MORE)), 'applied')
  kernel.changes.splice(0)
  return kernel
}

describe('The most that may be tracked', () => {
  it('takes a quarter of the memory, at 384 bytes an entry', () => {
    assert.equal(sizeMost({ memory_bytes: 1536 * 1000, buckets: 1e9 }), 1000)
  })

  it('is 8 for each chain of the table, since the kernel refuses an entry whose chain is too long', () => {
    assert.equal(sizeMost({ memory_bytes: 2 ** 50, buckets: 65_536 }), MORE)
  })

  it('is 16,777,216 on any host', () => {
    assert.equal(sizeMost({ memory_bytes: 2 ** 50, buckets: 2 ** 30 }), 16_777_216)
  })

  it('is what doubling stops at, and where nothing is left there is nothing to double', async () => {
    const kernel = new FakeKernel()
    kernel.forwarding.most = 300_000
    assert.equal(doubled(await probeForwarding(kernel.forwarding)), 300_000)
    kernel.forwarding.most = BEFORE
    assert.equal(doubled(await probeForwarding(kernel.forwarding)), null)
  })
})

describe('A change of how many connections are tracked', () => {
  quietly()

  it('sets it, now and at boot, and records what was there before; twice is the same', async () => {
    const kernel = new FakeKernel()
    const after = withSize(await stateOf(kernel), MORE)
    assert.equal(await apply(kernel, after), 'applied')
    assert.deepEqual(kernel.changes, [`conntrack_max ${MORE}`, 'write 99-tunnel-panel.conf'])
    assert.deepEqual(await stateOf(kernel), after)
    assert.deepEqual(after.saved?.conntrack_max, { value: MORE, previous: BEFORE })
    assert.match(kernel.forwarding.file ?? '', /\nnet\.netfilter\.nf_conntrack_max = 524288\n$/)
    assert.deepEqual(withSize(after, MORE), after)
  })

  it('puts back exactly what was there before, whatever it was raised to meanwhile, and takes the file away', async () => {
    const kernel = await raised()
    assert.equal(await apply(kernel, withSize(await stateOf(kernel), 1_000_000)), 'applied')
    assert.equal(await apply(kernel, withoutForwarding(await stateOf(kernel))), 'applied')
    assert.deepEqual([kernel.forwarding.conntrack?.max, kernel.forwarding.file], [BEFORE, null])
  })

  it('puts back what another program has changed since', async () => {
    const kernel = await raised()
    kernel.forwarding.conntrack = { count: 0, max: 100_000 }
    assert.equal(await apply(kernel, withoutForwarding(await stateOf(kernel), ['conntrack_max'])), 'applied')
    assert.equal(kernel.forwarding.conntrack?.max, BEFORE)
  })

  it('leaves alone what another program has changed, where it is of something else', async () => {
    const kernel = await raised()
    kernel.forwarding.conntrack = { count: 0, max: 100_000 }
    assert.equal(await apply(kernel, withForwarding(await stateOf(kernel), ['ipv4'])), 'applied')
    assert.equal(kernel.forwarding.conntrack?.max, 100_000)
    assert.equal((await stateOf(kernel)).saved?.conntrack_max?.value, MORE)
  })

  it('goes by itself, and the switches in the same file stay, and the other way round', async () => {
    const kernel = await raised()
    await apply(kernel, withForwarding(await stateOf(kernel), ['ipv4']))
    await apply(kernel, withoutForwarding(await stateOf(kernel), SWITCHES))
    assert.equal((await stateOf(kernel)).saved?.conntrack_max?.value, MORE)
    await apply(kernel, withForwarding(await stateOf(kernel), ['ipv4']))
    await apply(kernel, withoutForwarding(await stateOf(kernel), ['conntrack_max']))
    const { saved } = await stateOf(kernel)
    assert.deepEqual([saved?.switches.ipv4, saved?.conntrack_max], [true, null])
  })

  it('leaves the host as it was when any step fails', async () => {
    for (const fault of ['refuses', 'half', 'lies'] as const)
      for (const at of [1, 2]) {
        const kernel = new FakeKernel()
        const picture = kernel.picture()
        const faulty = new FaultyKernel(kernel, onlyAt(at, fault))
        assert.equal(await apply(faulty, withSize(await stateOf(kernel), MORE)), 'restored', `${fault} at ${at}`)
        assert.equal(kernel.picture(), picture)
      }
  })

  it('is refused below what was there before the panel, and beyond what there is room for', async () => {
    const kernel = await raised()
    for (const size of [BEFORE - 1, 2_097_153])
      await assert.rejects(apply(kernel, withSize(await stateOf(kernel), size)), {
        code: 'beyond_limits',
        message: /262144 to 2097152 connections/,
      })
    assert.deepEqual(kernel.changes, [])
    assert.equal(await apply(kernel, withSize(await stateOf(kernel), BEFORE)), 'applied')
  })

  it('is refused with a value before that root has not found there itself', async () => {
    for (const kernel of [new FakeKernel(), await raised()]) {
      const state = withSize(await stateOf(kernel), 600_000)
      const forged = {
        ...state,
        saved: state.saved && { ...state.saved, conntrack_max: { value: 600_000, previous: 1 } },
      }
      await assert.rejects(apply(kernel, forged), { code: 'malformed' })
      assert.deepEqual(kernel.changes, [])
    }
  })

  it('is refused where no file says of the value', async () => {
    for (const kernel of [new FakeKernel(), await raised()]) {
      const state = await stateOf(kernel)
      for (const conntrack_max of [0, 1, 1_000_000])
        await assert.rejects(apply(kernel, { ...state, conntrack_max }), { code: 'malformed' })
      assert.deepEqual(kernel.changes, [])
    }
  })

  it('is refused in another network namespace than the first, which can set none', async () => {
    const kernel = new FakeKernel()
    kernel.forwarding.most = null
    await assert.rejects(apply(kernel, withSize(await stateOf(kernel), MORE)), {
      code: 'unsupported',
      message: /container/,
    })
    assert.deepEqual(kernel.changes, [])
  })

  it('is refused while the kernel tracks no connections, and where it tracks any number', async () => {
    const kernel = new FakeKernel()
    kernel.forwarding.conntrack = null
    const state = withSize(await stateOf(kernel), MORE)
    await assert.rejects(apply(kernel, { ...state, conntrack_max: null }), {
      code: 'unsupported',
      message: /first relay rule/,
    })
    kernel.forwarding.conntrack = { count: 0, max: 0 }
    await assert.rejects(apply(kernel, withSize(await stateOf(kernel), MORE)), {
      code: 'unsupported',
      message: /any number/,
    })
    assert.deepEqual(kernel.changes, [])
  })

  it('is refused where the value is no longer the one that it starts from', async () => {
    const kernel = new FakeKernel()
    const before = await stateOf(kernel)
    kernel.forwarding.conntrack = { count: 0, max: 300_000 }
    await assert.rejects(apply(kernel, withSize(before, MORE), before), { code: 'stale_state', message: /300000/ })
    assert.deepEqual(kernel.changes, [])
  })

  it('can be taken back although connection tracking is not loaded: the file goes', async () => {
    const kernel = await raised()
    kernel.forwarding.conntrack = null
    assert.equal(await apply(kernel, withoutForwarding(await stateOf(kernel))), 'applied')
    assert.deepEqual(kernel.changes, ['remove 99-tunnel-panel.conf'])
  })
})

describe('A window', () => {
  quietly()

  const inWindow = async (root: Root, size: number | null): Promise<void> => {
    const { state } = await root.handlers['forwarding.probe']({})
    const after = size === null ? withoutForwarding(state) : withSize(state, size)
    assert.equal((await root.handlers['forwarding.apply']({ before: state, after })).outcome, 'applied')
  }

  it('takes back how many connections are tracked, raised or put back in it', async () => {
    for (const [first, second] of [
      [BEFORE, MORE],
      [MORE, null],
    ] as const) {
      const root = await new Root().start()
      if (first === MORE) await inWindow(root, MORE)
      const picture = root.picture()
      await root.open()
      await inWindow(root, second)
      assert.equal(
        (await root.handlers['window.way_back']({ window_id: ID, from_id: 0 })).forwarding?.conntrack_max,
        first,
      )
      await root.handlers['window.cancel']({ window_id: ID })
      assert.equal(root.picture(), picture)
    }
  })

  it('takes it back although connection tracking was loaded in it, so that it knows of no value before', async () => {
    const root = await new Root().start()
    root.kernel.forwarding.conntrack = null
    await root.open()
    assert.equal((await root.forward(true)).outcome, 'applied')
    root.kernel.forwarding.conntrack = { count: 0, max: BEFORE }
    await inWindow(root, MORE)
    await root.handlers['window.cancel']({ window_id: ID })
    assert.deepEqual([root.kernel.forwarding.conntrack.max, root.kernel.forwarding.file], [BEFORE, null])
  })
})

describe('The file of sysctls', () => {
  it('reads as what it was written for, with a number of connections and without', () => {
    const size = fc.tuple(fc.integer({ min: 1 }), fc.nat()).map(([value, previous]) => ({ value, previous }))
    fc.assert(
      fc.property(fc.subarray(SWITCHES), fc.option(size), (names, conntrack_max) => {
        const switches = switchesBy((name) => names.includes(name))
        const saved = { switches, previous: switches, accept_ra: {}, conntrack_max }
        assert.deepEqual(readSysctl(renderSysctl(saved)), saved)
      }),
    )
  })

  it('is a foreign one where the number was edited', () => {
    const off = switchesBy(() => false)
    const text = renderSysctl({
      switches: off,
      previous: off,
      accept_ra: {},
      conntrack_max: { value: MORE, previous: 1 },
    })
    assert.equal(readSysctl(text.replace(/= 524288/, '= 1048576')), null)
  })
})

describe('The start of the helper', () => {
  quietly()

  it('sets again what boot could not, because connection tracking was not loaded', async () => {
    const kernel = await raised()
    kernel.forwarding.conntrack = { count: 0, max: BEFORE }
    await startSwitches(kernel.forwarding)
    assert.deepEqual(kernel.changes, [`conntrack_max ${MORE}`])
    await startSwitches(kernel.forwarding)
    assert.equal(kernel.changes.length, 1)
  })

  it('leaves more than that, no limit, and what it cannot set', async () => {
    const kernel = await raised()
    for (const max of [MORE + 1, 0]) {
      kernel.forwarding.conntrack = { count: 0, max }
      await startSwitches(kernel.forwarding)
    }
    Object.assign(kernel.forwarding, { conntrack: { count: 0, max: 1 }, most: null })
    await startSwitches(kernel.forwarding)
    assert.deepEqual(kernel.changes, [])
  })

  it('is followed by the first rule, which loads connection tracking: then it is set', async () => {
    const kernel = await raised()
    kernel.forwarding.conntrack = null
    await startSwitches(kernel.forwarding)
    assert.deepEqual(kernel.changes, [])
    await settingSwitches(kernel.forwarding, async () => {
      kernel.forwarding.conntrack = { count: 0, max: BEFORE }
    })
    assert.deepEqual(kernel.changes, [`conntrack_max ${MORE}`])
  })

  it('is followed by the first rule also where a look has loaded connection tracking before it', async () => {
    const kernel = await raised()
    kernel.forwarding.conntrack = null
    await startSwitches(kernel.forwarding)
    kernel.forwarding.conntrack = { count: 0, max: BEFORE }
    await settingSwitches(kernel.forwarding, async () => undefined)
    assert.deepEqual(kernel.changes, [`conntrack_max ${MORE}`])
  })

  it('is no longer followed once that is set: later rules leave alone what another program has changed', async () => {
    const kernel = await raised()
    await apply(kernel, withForwarding(await stateOf(kernel), CONNECTION_DETAILS))
    await startSwitches(kernel.forwarding)
    kernel.changes.splice(0)
    kernel.forwarding.live = {}
    kernel.forwarding.conntrack = { count: 0, max: BEFORE }
    await settingSwitches(kernel.forwarding, async () => undefined)
    assert.deepEqual(kernel.changes, [])
  })
})
