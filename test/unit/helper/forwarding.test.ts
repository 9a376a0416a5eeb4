// The switches of the kernel: turned on and put back through the transaction, kept in our file, and set again at start.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Change } from '@panel/shared/change/change.ts'
import {
  CONNECTION_DETAILS,
  FORWARDING,
  SWITCHES,
  switchesBy,
  type ForwardingState,
  type Switch,
} from '@panel/shared/forwarding/model.ts'
import { withForwarding, withoutForwarding } from '@panel/shared/forwarding/plan.ts'
import { readSysctl } from '@panel/shared/forwarding/read-sysctl.ts'
import { renderSysctl } from '@panel/shared/forwarding/sysctl.ts'
import { startSwitches } from '@panel/root-helper/nouns/forwarding/start.ts'
import { forwardingSubject, hostChange, probeForwarding } from '@panel/root-helper/nouns/forwarding/subject.ts'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { Transaction } from '@panel/root-helper/transaction.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { FaultyKernel, onlyAt } from '../../support/faulty.ts'
import { noJournal } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

describe('A change of forwarding', () => {
  quietly()
  const switches = (...on: Switch[]) => switchesBy((name) => on.includes(name))
  const OFF: ForwardingState = { live: switches(), conntrack_max: 262_144, saved: null }
  const applyForwarding = async (kernel: Kernel, change: Change<ForwardingState>) =>
    new Transaction(forwardingSubject(kernel.forwarding), noJournal()).apply(
      await hostChange(kernel.forwarding, change),
    )
  const stateOf = async (kernel: Kernel): Promise<ForwardingState> => (await probeForwarding(kernel.forwarding)).state

  it('turns it on, now and at boot, and records what was set before; twice is the same', async () => {
    const kernel = new FakeKernel()
    kernel.forwarding.live = { ipv4: false, ipv6: true }
    const before = await stateOf(kernel)
    const after = withForwarding(before, ['ipv4'])
    assert.equal((await applyForwarding(kernel, { before, after })).outcome, 'applied')
    assert.deepEqual(await stateOf(kernel), {
      live: switches('ipv4', 'ipv6'),
      conntrack_max: 262_144,
      saved: { switches: switches('ipv4'), previous: switches('ipv6'), conntrack_max: null },
    })
    assert.match(kernel.forwarding.file ?? '', /\nnet\.ipv4\.ip_forward = 1\n$/)
    assert.deepEqual(withForwarding(after, ['ipv4']), after)
  })

  it('puts back what was set before, and takes the file away', async () => {
    for (const live of [switches(), switches('ipv4')]) {
      const kernel = new FakeKernel()
      kernel.forwarding.live = live
      const before = await stateOf(kernel)
      await applyForwarding(kernel, { before, after: withForwarding(before, FORWARDING) })
      const on = await stateOf(kernel)
      await applyForwarding(kernel, { before: on, after: withoutForwarding(on) })
      assert.deepEqual([await stateOf(kernel), kernel.forwarding.file], [{ ...OFF, live }, null])
    }
  })

  it('leaves the host as it was when any step fails', async () => {
    const after = withForwarding(OFF, FORWARDING)
    for (const fault of ['refuses', 'half', 'lies'] as const) {
      for (const at of [1, 2, 3, 4, 5]) {
        const kernel = new FakeKernel()
        kernel.forwarding.acceptRa = { eth0: 1, eth1: 1, eth2: 0 }
        const picture = kernel.picture()
        assert.equal(
          (await applyForwarding(new FaultyKernel(kernel, onlyAt(at, fault)), { before: OFF, after })).outcome,
          'restored',
        )
        assert.equal(kernel.picture(), picture)
      }
    }
  })

  it('of IPv6 takes router advertisements on first, and gives that up last', async () => {
    const kernel = new FakeKernel()
    kernel.forwarding.acceptRa = { eth0: 1, eth1: 2, 'eth0.7': 1, wan: 0 }
    const before = await stateOf(kernel)
    await applyForwarding(kernel, { before, after: withForwarding(before, FORWARDING) })
    assert.deepEqual(kernel.changes, [
      'accept_ra eth0 2',
      'accept_ra eth0.7 2',
      'forwarding ipv4 true',
      'forwarding ipv6 true',
      'write 99-tunnel-panel.conf',
    ])
    assert.match(
      kernel.forwarding.file ?? '',
      /\nnet\/ipv6\/conf\/eth0\/accept_ra = 2\nnet\/ipv6\/conf\/eth0\.7\/accept_ra = 2\nnet\/ipv6\/conf\/eth1\/accept_ra = 2\nnet\.ipv4/,
    )
    const on = await stateOf(kernel)
    kernel.changes.splice(0)
    await applyForwarding(kernel, { before: on, after: withoutForwarding(on) })
    assert.deepEqual(kernel.changes, [
      'remove 99-tunnel-panel.conf',
      'forwarding ipv4 false',
      'forwarding ipv6 false',
      'accept_ra eth0 1',
      'accept_ra eth0.7 1',
    ])
  })

  it('of IPv4 alone leaves router advertisements alone, and so does one of connection tracking', async () => {
    const kernel = new FakeKernel()
    kernel.forwarding.acceptRa = { eth0: 1 }
    const before = await stateOf(kernel)
    await applyForwarding(kernel, { before, after: withForwarding(before, ['ipv4', ...CONNECTION_DETAILS]) })
    assert.deepEqual(kernel.forwarding.acceptRa, { eth0: 1 })
  })

  it('keeps in the file an interface that is not there for now', async () => {
    const kernel = new FakeKernel()
    kernel.forwarding.acceptRa = { usb0: 1 }
    const before = await stateOf(kernel)
    await applyForwarding(kernel, { before, after: withForwarding(before, ['ipv6']) })
    kernel.forwarding.acceptRa = {}
    const on = await stateOf(kernel)
    assert.equal(
      (await applyForwarding(kernel, { before: on, after: withForwarding(on, ['ipv4']) })).outcome,
      'applied',
    )
    assert.match(kernel.forwarding.file ?? '', /usb0\/accept_ra = 2/)
  })

  it('is refused where it would take away IPv6 that came by router advertisement', async () => {
    const kernel = new FakeKernel()
    Object.assign(kernel.forwarding, { acceptRa: { eth0: 1 }, isSettable: false })
    await assert.rejects(applyForwarding(kernel, { before: OFF, after: withForwarding(OFF, FORWARDING) }), {
      code: 'would_lose_ipv6',
      message: /sysctl -w net\/ipv6\/conf\/eth0\/accept_ra=2/,
    })
    assert.deepEqual(kernel.changes, [])
  })

  it('never writes over a file in the place of ours, nor takes it away', async () => {
    const kernel = new FakeKernel()
    kernel.forwarding.file = 'net.ipv4.ip_forward = 1\n'
    await assert.rejects(applyForwarding(kernel, { before: OFF, after: withForwarding(OFF, ['ipv4']) }), {
      code: 'foreign_sysctl_file',
    })
    assert.deepEqual(kernel.changes, [])
  })

  it('is refused without a state, and for IPv6 where the kernel has none', async () => {
    const kernel = new FakeKernel()
    kernel.forwarding.missing = ['ipv6', 'conntrack_acct']
    await assert.rejects(applyForwarding(kernel, { before: null, after: OFF }), { code: 'malformed' })
    await assert.rejects(applyForwarding(kernel, { before: OFF, after: withForwarding(OFF, FORWARDING) }), {
      code: 'unsupported',
    })
    await assert.rejects(applyForwarding(kernel, { before: OFF, after: withForwarding(OFF, CONNECTION_DETAILS) }), {
      code: 'unsupported',
      message: /nf_conntrack_acct/,
    })
    assert.deepEqual(kernel.changes, [])
  })
})

describe('The file of switches', () => {
  const names = fc.subarray(SWITCHES)
  const stateWith = (live: Switch[], saved: ForwardingState['saved']): ForwardingState => ({
    live: switchesBy((name) => live.includes(name)),
    conntrack_max: 262_144,
    saved,
  })

  it('reads as what it was written for', () => {
    fc.assert(
      fc.property(names, names, (live, wanted) => {
        const { saved } = withForwarding(stateWith(live, null), wanted)
        const file = saved && { ...saved, accept_ra: { 'eth0.1': 1, eth0: 2 } }
        assert.deepEqual(file && readSysctl(renderSysctl(file)), file)
      }),
    )
  })

  it('puts back one half of what was turned on and keeps the other, and then the rest', () => {
    fc.assert(
      fc.property(names, names, names, names, (live, first, second, half) => {
        const before = stateWith(live, null)
        const on = withForwarding(withForwarding(before, first), second)
        const left = withoutForwarding(on, half)
        for (const name of half) assert.equal(left.live[name], before.live[name])
        for (const name of [...first, ...second]) if (!half.includes(name)) assert.equal(left.live[name], true)
        assert.deepEqual(withoutForwarding(left), before)
      }),
    )
  })
})

describe('The start of the helper', () => {
  quietly()
  const file = (on: readonly Switch[]): string =>
    renderSysctl({
      switches: switchesBy((name) => on.includes(name)),
      previous: switchesBy(() => false),
      conntrack_max: null,
      accept_ra: {},
    })

  it('sets what boot could not, because connection tracking was not loaded, and nothing else', async () => {
    const kernel = new FakeKernel()
    kernel.forwarding.file = file(SWITCHES)
    await startSwitches(kernel.forwarding)
    assert.deepEqual(kernel.changes, ['forwarding conntrack_acct true', 'forwarding conntrack_timestamp true'])
    await startSwitches(kernel.forwarding)
    assert.equal(kernel.changes.length, 2)
  })

  it('sets nothing that our file does not name, that the kernel does not have, or that a foreign file says', async () => {
    for (const [text, missing] of [
      [file(FORWARDING), []],
      [file(SWITCHES), CONNECTION_DETAILS],
      ['net.netfilter.nf_conntrack_acct = 1\n', []],
    ] as const) {
      const kernel = new FakeKernel()
      Object.assign(kernel.forwarding, { file: text, missing: [...missing] })
      await startSwitches(kernel.forwarding)
      assert.deepEqual(kernel.changes, [])
    }
  })
})
