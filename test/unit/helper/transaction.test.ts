// The transaction with a fault at every change of every kind of plan, over the fake kernel; test/vm does the same on a
// real one.
import assert from 'node:assert/strict'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { asStates } from '@panel/shared/tunnel/plans.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { Transaction } from '@panel/root-helper/transaction.ts'
import { tunnelSubject } from '@panel/root-helper/nouns/tunnel/subject.ts'
import { handlersFor, type HelperDeps } from '@panel/root-helper/handlers.ts'
import { recover } from '@panel/root-helper/recover.ts'
import { transactionsOf } from '@panel/root-helper/nouns/transactions.ts'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { byNetworkd, bySystemd, exampleTunnel } from '../../support/example.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { routeThrough } from '../../support/fake-routes.ts'
import { FaultyKernel, from, onlyAt, type Fault } from '../../support/faulty.ts'
import { quietly } from '../../support/quietly.ts'
import { fakeWindows, memoryJournal, noJournal } from '../../support/in-process-helper.ts'

const example = exampleTunnel()
const KEEPALIVE = { is_enabled: true, config: { target_address: '172.17.1.2', interval_seconds: 1, packet_size: 56 } }
const CHANGES: Record<string, Change<TunnelState>> = {
  'a creation': { before: null, after: example },
  'an update in place': {
    before: example,
    after: exampleTunnel({
      mtu: 1400,
      tx_queue_length: 50,
      addresses: [{ address: '172.17.2.1', peer_address: '', prefix_length: 30 }],
    }),
  },
  'another outer header': { before: example, after: exampleTunnel({ ttl: 64, ikey: null, okey: null, mtu: 1476 }) },
  'a recreation': { before: example, after: exampleTunnel({ kind: 'gretap', ttl: 64 }) },
  'a change of name': { before: example, after: exampleTunnel({ ttl: 64 }, 'gre-b-2') },
  'a deletion': { before: example, after: null },
  'another outer header under networkd': {
    before: exampleTunnel({}, 'gre-a-1', byNetworkd),
    after: exampleTunnel({ ttl: 64 }, 'gre-a-1', byNetworkd),
  },
  'a recreation under networkd': {
    before: exampleTunnel({}, 'gre-a-1', byNetworkd),
    after: exampleTunnel({ kind: 'gretap' }, 'gre-a-1', byNetworkd),
  },
  'a change from networkd to systemd': { before: exampleTunnel({}, 'gre-a-1', byNetworkd), after: example },
  'a change from systemd to networkd, with a keepalive': {
    before: example,
    after: exampleTunnel({}, 'gre-a-1', (config) => ({ ...byNetworkd(config), systemd_keepalive_unit: KEEPALIVE })),
  },
}

/** Foreign routes through the tunnel that a change begins with. */
const ROUTES = [
  routeThrough('10.50.0.0/16'),
  routeThrough('10.60.0.0/16', { gateway: '172.17.1.2', protocol: 'boot', metric: 20 }),
]

async function hostWith(state: TunnelState | null): Promise<FakeKernel> {
  const kernel = new FakeKernel()
  if (state) await apply(kernel, { before: null, after: state })
  if (state) kernel.routesOfOthers.set(state.interface_name, [...ROUTES])
  kernel.changes.length = 0
  return kernel
}

const apply = (kernel: Kernel, change: Change<TunnelState>): Promise<Outcome> =>
  new Transaction(tunnelSubject(kernel), noJournal()).apply(asStates(change))

async function countSteps(change: Change<TunnelState>): Promise<number> {
  const kernel = await hostWith(change.before)
  // networkd reads its files later, and nothing waits for that, so there is nothing to fail.
  return (await apply(kernel, change)).steps.filter((step) => step !== 'networkd_reload').length
}

describe('A transaction', () => {
  quietly()
  for (const [what, change] of Object.entries(CHANGES)) {
    for (const fault of ['refuses', 'half', 'lies'] satisfies Fault[]) {
      it(`leaves the host byte for byte as it was when any step of ${what} ${fault}`, async () => {
        const steps = await countSteps(change)
        assert.ok(steps > 0)
        const clean = await hostWith(change.before)
        await apply(clean, change)
        for (let at = 1; at <= steps; at += 1) {
          const kernel = await hostWith(change.before)
          const picture = kernel.picture()
          const faulty = new FaultyKernel(kernel, onlyAt(at, fault))
          const { outcome, steps: made, failure } = await apply(faulty, change)
          // A file that is taken away and written again may as well have stayed, and a new link has the header that the
          // kernel did not change in place: then the host holds what was wanted, wholly.
          const isWhole = fault === 'lies' || made.includes('link_create')
          if (isWhole && outcome === 'applied' && kernel.picture() === clean.picture()) continue
          // A last step that was made and then complained is read back as not made: undone like any other.
          assert.equal(outcome, 'restored', `step ${at}`)
          assert.ok(failure && failure.message.length > 0)
          assert.equal(kernel.picture(), picture, `step ${at}`)
        }
      })
    }

    it(`is stuck, and says what to do, when undoing ${what} fails too`, async () => {
      // The second step fails and everything after it, so there is something to undo.
      const kernel = await hostWith(change.before)
      const { outcome, failure, remediation } = await apply(new FaultyKernel(kernel, from(2, 'refuses')), change)
      assert.equal(outcome, 'stuck')
      assert.match(failure?.message ?? '', /Undoing it failed too/)
      assert.ok(remediation.length > 0)
    })
  }

  for (const name of ['gre-a-1', 'gre-b-2'])
    it(`takes foreign routes along to a new link ${name}, those with a gateway last`, async () => {
      const kernel = await hostWith(example)
      kernel.routesOfOthers.get('gre-a-1')?.reverse()
      const { outcome, steps } = await apply(kernel, {
        before: example,
        after: exampleTunnel({ kind: 'gretap' }, name),
      })
      assert.deepEqual([outcome, steps.slice(-5).filter((step) => step === 'route_add').length], ['applied', 2])
      assert.deepEqual([...kernel.routesOfOthers], [[name, ROUTES]])
    })

  it('refuses a change whose before is not what the host holds, and touches nothing', async () => {
    const kernel = await hostWith(example)
    const picture = kernel.picture()
    await assert.rejects(apply(kernel, { before: null, after: exampleTunnel({ mtu: 1400 }) }), { code: 'stale_state' })
    assert.equal(kernel.picture(), picture)
    assert.deepEqual(kernel.changes, [])
  })

  it('refuses what would lose what the model cannot hold: of a link, and of its outer header', async () => {
    for (const [fields, feature] of [
      [{ kind: 'gretap' as const }, 'master br0'],
      [{ ttl: 64 }, 'dscp copy'],
      [{ ttl: 64 }, 'encap fou sport 0 dport 5555'],
    ] as const) {
      const kernel = new FakeKernel()
      kernel.plant('gre-a-1', { state: example.link, unmodelled: [feature] })
      const before = { ...example, saved: null }
      await assert.rejects(apply(kernel, { before, after: exampleTunnel(fields) }), { code: 'unmodelled_state' })
      assert.deepEqual(kernel.changes, [])
    }
  })

  it('refuses to write over a unit file that is not ours or was edited', async () => {
    for (const content of [
      '[Unit]\nDescription=mine\n',
      `${[...(await hostWith(example)).files.values()][0]}# edited\n`,
    ]) {
      const kernel = new FakeKernel()
      kernel.files.set('tunnel-panel-link-gre-a-1.service', content)
      await assert.rejects(apply(kernel, { before: null, after: example }), { code: 'foreign_unit_file' })
      assert.deepEqual(kernel.changes, [])
    }
  })

  it('refuses a keepalive that pings anybody but the far end of its own tunnel', async () => {
    for (const target_address of ['203.0.113.9', '172.17.1.3', '2001:db8:1::2']) {
      const kernel = new FakeKernel()
      const after = exampleTunnel({}, 'gre-a-1', (config) => ({
        ...bySystemd(config),
        systemd_keepalive_unit: { is_enabled: true, config: { ...KEEPALIVE.config, target_address } },
      }))
      await assert.rejects(apply(kernel, { before: null, after }), { code: 'malformed' })
      assert.deepEqual(kernel.changes, [])
    }
  })

  it('refuses to give networkd a tunnel that it would keep in part', async () => {
    for (const fields of [
      { fwmark: 6 },
      { bind_device: 'eth0' },
      { tx_queue_length: 5 },
      { has_input_checksum: true },
    ]) {
      const kernel = new FakeKernel()
      await assert.rejects(apply(kernel, { before: null, after: exampleTunnel(fields, 'gre-a-1', byNetworkd) }), {
        code: 'malformed',
      })
      assert.deepEqual(kernel.changes, [])
    }
  })

  it('refuses any request for a tunnel that a foreign file of networkd has in its hands', async () => {
    const kernel = await hostWith(example)
    kernel.files.set('10-tunnel-panel-gre-a-1.network', '[Match]\nName=gre-a-1\n')
    for (const after of [exampleTunnel({ mtu: 1400 }), null])
      await assert.rejects(apply(kernel, { before: example, after }), { code: 'foreign_unit_file' })
    assert.deepEqual(kernel.changes, [])
  })

  it('gives a tunnel a new name only where nothing stands under it, be it a tunnel, another link or a unit file', async () => {
    const renamed = { before: example, after: exampleTunnel({}, 'gre-b-2') }
    const taken: [string, (kernel: FakeKernel) => unknown][] = [
      [
        'stale_state',
        (kernel) => kernel.plant('gre-b-2', { state: exampleTunnel({ remote_endpoint: '192.0.2.9' }).link }),
      ],
      ['protected_interface', (kernel) => kernel.plant('gre-b-2', { kind: 'vxlan' })],
      ['foreign_unit_file', (kernel) => kernel.files.set('tunnel-panel-link-gre-b-2.service', '[Unit]\n')],
    ]
    for (const [code, take] of taken) {
      const kernel = await hostWith(example)
      take(kernel)
      const picture = kernel.picture()
      await assert.rejects(apply(kernel, renamed), { code })
      assert.equal(kernel.picture(), picture)
    }
    await assert.rejects(apply(await hostWith(example), { before: example, after: exampleTunnel({}, 'gre0') }), {
      code: 'protected_interface',
    })
  })

  it('refuses to rename a link that would lose what the model cannot hold', async () => {
    const kernel = new FakeKernel()
    kernel.plant('gre-a-1', { state: example.link, unmodelled: ['master br0'] })
    await assert.rejects(apply(kernel, { before: { ...example, saved: null }, after: exampleTunnel({}, 'gre-b-2') }), {
      code: 'unmodelled_state',
    })
    assert.deepEqual(kernel.changes, [])
  })

  it('refuses a link of another kind under the name, and the links of the kernel itself', async () => {
    const kernel = new FakeKernel()
    kernel.plant('gre-a-1', { kind: 'vxlan' })
    await assert.rejects(apply(kernel, { before: null, after: example }), { code: 'protected_interface' })
    await assert.rejects(apply(kernel, { before: null, after: exampleTunnel({}, 'gre0') }), {
      code: 'protected_interface',
    })
    assert.deepEqual(kernel.changes, [])
  })

  it('refuses a kind that the kernel cannot make, before the first step', async () => {
    const kernel = new FakeKernel()
    kernel.supportsGre = false
    await assert.rejects(apply(kernel, { before: null, after: example }), { code: 'unsupported' })
    assert.deepEqual(kernel.changes, [])
  })

  it('puts back what an earlier helper was killed in, before anything is served', async () => {
    for (const [what, change] of Object.entries(CHANGES)) {
      const steps = await countSteps(change)
      for (let at = 1; at <= steps; at += 1) {
        const kernel = await hostWith(change.before)
        const picture = kernel.picture()
        const journal = memoryJournal()
        // Nothing works from this step on, so the host and the journal are as a helper leaves them that was killed
        // there.
        const halted = new FaultyKernel(kernel, from(at, 'refuses'))
        await new Transaction(tunnelSubject(halted), journal).apply(asStates(change))
        const deps: HelperDeps = {
          kernel,
          journal,
          ...fakeWindows(kernel, { journal }),
          helperFacts: notAsked,
          findTools: notAsked,
          findListeners: notAsked,
          stateTrouble: notAsked,
        }
        await recover(journal, transactionsOf(kernel, journal))
        assert.equal(kernel.picture(), picture, `${what}, step ${at}`)
        assert.equal(await journal.read(), null)
        assert.equal((await handlersFor(deps)['tunnel.apply'](change)).outcome, 'applied')
      }
    }
  })
})

const notAsked = () => Promise.reject(new Error('This is not asked'))
