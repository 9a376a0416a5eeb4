// Networks through the dispatch of root: what it refuses to any client, what becomes of a change that fails or is cut
// short, and what follows links.
import assert from 'node:assert/strict'
import { networkSubject } from '@panel/root-helper/nouns/network/subject.ts'
import { seeNetworks } from '@panel/root-helper/nouns/network/probe.ts'
import { followedNetworks } from '@panel/root-helper/nouns/network/follow.ts'
import { Transaction } from '@panel/root-helper/transaction.ts'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { DEFAULT_LIMITS } from '@panel/shared/limits/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { NetworkState } from '@panel/shared/network/model.ts'
import type { LinkConfig } from '@panel/shared/tunnel/model.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { exampleTunnel } from '../../support/example.ts'
import { exampleNetwork } from '../../support/example-network.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { FaultyKernel, type Fault } from '../../support/faulty.ts'
import { inProcessHelper, type InProcessHelper } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

const journal = { isKept: () => false, begin: async () => undefined, end: async () => undefined }
const carriedBy = (...names: string[]): NetworkState['paths'] =>
  names.map((interface_name) => ({ interface_name, weight: 1 }))

/** A host with two tunnels of the panel that are up, and one that is down. */
async function hostWithTunnels(): Promise<FakeKernel> {
  const kernel = new FakeKernel()
  for (const [at, name] of ['gre-a-1', 'gre-a-2', 'gre-down'].entries()) {
    const address = { address: `172.17.${at}.1`, peer_address: '', prefix_length: 30 }
    const fields = { remote_endpoint: `198.51.100.${at + 1}`, addresses: [address] } satisfies Partial<LinkConfig>
    await kernel.links.create(name, exampleTunnel(fields).link!.config)
    await kernel.links.addAddress(name, address)
    if (name !== 'gre-down') await kernel.links.setUp(name, true)
  }
  return kernel
}

describe('What root refuses of a network', () => {
  let kernel: FakeKernel
  let helper: InProcessHelper
  beforeEach(async () => {
    kernel = await hostWithTunnels()
    kernel.hostRoutes = [...kernel.hostRoutes, { ...kernel.hostRoutes[0]!, gateway: '203.0.113.1', device: 'eth0' }]
    helper = inProcessHelper(kernel)
  })
  const apply = (after: NetworkState[] | null, before: NetworkState[] | null = null): Promise<Outcome> =>
    helper.request('network.apply', { before, after })
  const refused = async (fields: Partial<NetworkState>, code: string, said = /./): Promise<void> => {
    const picture = kernel.picture()
    await assert.rejects(apply([exampleNetwork(fields)]), { code, message: said })
    assert.equal(kernel.picture(), picture)
  }
  const taken = async (fields: Partial<NetworkState>): Promise<void> =>
    assert.equal((await apply([exampleNetwork(fields)])).outcome, 'applied')

  it('nothing of one that is within all bounds', () =>
    taken({ own_addresses: ['10.66.0.1'], source: '10.66.0.1', paths: carriedBy('gre-a-1', 'gre-a-2') }))

  for (const [what, destination, code] of [
    ['wider than a /16', '10.0.0.0/15', 'beyond_limits'],
    ['wider than a /48', 'fd00:1::/47', 'beyond_limits'],
    ['of the whole internet', '0.0.0.0/0', 'beyond_limits'],
    ['with more public addresses than tunnels may draw', '8.8.8.0/24', 'beyond_limits'],
    ['of multicast addresses', '224.1.0.0/16', 'beyond_limits'],
    ['of loopback addresses', '127.1.0.0/16', 'beyond_limits'],
    ['of link-local addresses', '169.254.0.0/16', 'beyond_limits'],
    ['that holds an address of an interface', '192.0.2.0/28', 'protected_address'],
    ['that holds a next hop', '203.0.113.0/30', 'protected_address'],
    ['that holds the far end of a tunnel', '198.51.100.0/29', 'protected_address'],
  ] as const)
    it(`one ${what}`, () => refused({ destination }, code))

  it('one that holds a name server, or a client of sshd', async () => {
    kernel.hostResolvers = ['10.50.0.53']
    await refused({}, 'protected_address', /10\.50\.0\.53/)
    kernel.hostResolvers = []
    kernel.hostClients = [{ address: '10.50.9.9', came_to: '192.0.2.1' }]
    await refused({ destination: '10.50.0.0/16' }, 'protected_address', /10\.50\.9\.9/)
  })

  it('none for the sake of who is reached by a longer prefix than it has', async () => {
    kernel.hostRoutes.push({ ...kernel.hostRoutes[1]!, destination: '10.50.9.0/24' })
    kernel.hostClients = [{ address: '10.50.9.9', came_to: '192.0.2.1' }]
    await taken({})
  })

  it('none that root itself allows to be wide, whatever its sum, but that operators stay reachable', async () => {
    kernel.hostLimits = { ...DEFAULT_LIMITS, wide_networks: ['8.0.0.0/7'] }
    await refused({ destination: '8.0.0.0/6' }, 'beyond_limits', /tunnel-panel allow wide_network 8\.0\.0\.0\/6/)
    kernel.hostClients = [{ address: '9.1.2.3', came_to: '192.0.2.1' }]
    await refused({ destination: '8.0.0.0/7' }, 'protected_address', /9\.1\.2\.3/)
    kernel.hostClients = []
    await taken({ destination: '8.0.0.0/7' })
  })

  it('more of them together than the sum for tunnels', async () => {
    kernel.hostLimits = { ...DEFAULT_LIMITS, tunnel_addresses: 65_536 + 300 }
    await taken({})
    await refused({ destination: '10.51.0.0/23' }, 'beyond_limits')
    await taken({ destination: '10.51.0.0/24' })
  })

  for (const [what, own_addresses, code] of [
    ['that is public', ['8.8.8.8'], 'beyond_limits'],
    ['of an interface', ['192.0.2.1'], 'protected_address'],
    ['of the loopback', ['127.0.0.9'], 'protected_address'],
    ['that is no address of a host', ['224.0.0.9'], 'protected_address'],
    ['of the other family', ['fd66::1'], 'malformed'],
  ] as const)
    it(`an own address ${what}`, async () => {
      if (code === 'protected_address')
        kernel.networks.taken = message('root.own_address_taken', { address: '', device: '' })
      await refused({ own_addresses: [...own_addresses] }, code)
    })

  it('an own address of another network', async () => {
    await taken({ own_addresses: ['10.66.0.1'] })
    await refused({ destination: '10.51.0.0/24', own_addresses: ['10.66.0.1'] }, 'protected_address', /10\.50\.0\.0/)
  })

  it('a source that is no address of this host', async () => {
    await refused({ source: '10.77.0.1' }, 'protected_address')
    await taken({ source: '172.17.0.1' })
  })

  it('a path over a link that is not of the panel, is down, or is not there, but for one that carries nothing', async () => {
    kernel.plant('wg0', {})
    await refused({ paths: carriedBy('wg0') }, 'protected_interface')
    await refused({ paths: [...carriedBy('gre-a-1'), { interface_name: 'wg0', weight: 0 }] }, 'protected_interface')
    await refused({ paths: carriedBy('gre-down') }, 'stale_state')
    await refused({ paths: carriedBy('gre-none') }, 'stale_state')
    await taken({
      paths: [
        ...carriedBy('gre-a-1'),
        ...['gre-down', 'gre-none'].map((interface_name) => ({ interface_name, weight: 0 })),
      ],
    })
  })

  it('a foreign route that is the same, by its name', async () => {
    kernel.networks.taken = message('root.network_route_taken', { network: '10.50.0.0/16', metric: 50, device: 'eth0' })
    await refused({}, 'protected_address', /10\.50\.0\.0\/16 with the metric 50 already, by eth0/)
  })

  it('own addresses beside marks by which answers find their way, and the marks beside them', async () => {
    await kernel.rulesets.submit([], [exampleRule({ route_rule_id: 1, fwmark: 0x5400_0001 })])
    await refused({ own_addresses: ['10.66.0.1'] }, 'beyond_limits', /0x54000001/)
    await kernel.rulesets.submit([1], [])
    kernel.hostLimits = { ...DEFAULT_LIMITS, marks: ['0x54000000/0xffff'] }
    await taken({ own_addresses: ['10.66.0.1'] })
    const after = [exampleRule({ route_rule_id: 1, fwmark: 0x5400_0001 })]
    await assert.rejects(helper.request('ruleset.apply', { before: null, after }), {
      code: 'beyond_limits',
      message: /10\.50\.0\.0\/16/,
    })
  })

  it('own addresses on a host that cannot lead answers', async () => {
    kernel.answers.whyNot = message('root.answers_need_nft')
    await refused({ own_addresses: ['10.66.0.1'] }, 'unsupported')
    await taken({})
  })

  it('everything, also a reading, while its record is damaged, and touches nothing', async () => {
    kernel.networks.damage = 'damaged'
    await refused({}, 'state_unusable')
    await assert.rejects(helper.request('network.probe', {}), { code: 'state_unusable' })
  })

  it('a change that does not begin where the host is, and two states of one destination', async () => {
    await taken({})
    await assert.rejects(apply([exampleNetwork({ metric: 60 })]), { code: 'stale_state' })
    const twice = [exampleNetwork({ destination: '10.50.1.1/16' }), exampleNetwork()]
    await assert.rejects(apply(twice, [exampleNetwork()]), { code: 'malformed' })
  })

  it('nothing of what a network has already', async () => {
    await taken({ own_addresses: ['10.66.0.1'] })
    kernel.hostClients = [{ address: '10.50.9.9', came_to: '192.0.2.1' }]
    kernel.hostLimits = { ...DEFAULT_LIMITS, tunnel_networks: [], tunnel_addresses: 0 }
    const before = exampleNetwork({ own_addresses: ['10.66.0.1'] })
    const after = { ...before, paths: carriedBy('gre-a-1', 'gre-a-2') }
    assert.equal((await apply([after], [before])).outcome, 'applied')
  })
})

describe('What root holds of networks', () => {
  quietly()
  it('is answered in whole, or by destinations in any spelling, with what each lacks', async () => {
    const kernel = await hostWithTunnels()
    const helper = inProcessHelper(kernel)
    const one = exampleNetwork({ own_addresses: ['10.66.0.1'] })
    const two = exampleNetwork({ destination: 'fd50::/48', paths: carriedBy('gre-a-1', 'gre-a-2') })
    await helper.request('network.apply', { before: null, after: [one, two] })
    const probe = async (destinations?: string[]) =>
      (await helper.request('network.probe', destinations ? { destinations } : {})).networks.map(({ state }) => state)
    assert.deepEqual(await probe(), [one, two])
    assert.deepEqual(await probe(['fd50:0::7/48']), [two])
    await kernel.links.setUp('gre-a-2', false)
    kernel.networks.addresses.clear()
    kernel.answers.isNetworkBroken = true
    assert.deepEqual(
      (await probe()).map(({ lacks }) => lacks),
      [['10.66.0.1', 'answers'], ['gre-a-2']],
    )
    kernel.answers.isUnreadable = true
    assert.deepEqual(
      (await seeNetworks(kernel, ['10.50.0.0/16'])).map(({ state }) => state.lacks),
      [['10.66.0.1', 'answers']],
    )
  })
})

const STATES = {
  'a new network': [null, [exampleNetwork({ own_addresses: ['10.66.0.1'], source: '10.66.0.1' })]],
  'another path': [
    [exampleNetwork({ own_addresses: ['10.66.0.1'] })],
    [exampleNetwork({ own_addresses: ['10.66.0.1'], paths: carriedBy('gre-a-2') })],
  ],
  'other addresses': [
    [exampleNetwork({ own_addresses: ['10.66.0.1', '10.66.0.2'], source: '10.66.0.1' })],
    [exampleNetwork({ own_addresses: ['10.66.0.2', '10.66.0.3'], source: '10.66.0.3', metric: 70 })],
  ],
  'a network that goes': [[exampleNetwork({ own_addresses: ['10.66.0.1'] })], null],
  'one in the place of another': [
    [exampleNetwork({ own_addresses: ['10.66.0.1'] })],
    [exampleNetwork({ destination: '10.51.0.0/16', own_addresses: ['10.66.0.1'] })],
  ],
} satisfies Record<string, [NetworkState[] | null, NetworkState[] | null]>

describe('A change of networks', () => {
  quietly()
  const hostAt = async (states: NetworkState[] | null): Promise<FakeKernel> => {
    const kernel = await hostWithTunnels()
    if (states) await apply(kernel, null, states)
    return kernel
  }
  const apply = (kernel: Kernel, before: NetworkState[] | null, after: NetworkState[] | null): Promise<Outcome> =>
    new Transaction(networkSubject(kernel), journal).apply({ before, after })

  for (const what of Object.keys(STATES) as (keyof typeof STATES)[])
    for (const fault of ['refuses', 'half', 'lies'] satisfies Fault[])
      it(`leaves the host as it was when any step of ${what} ${fault}`, async () => {
        const [before, after] = STATES[what]
        const clean = await hostAt(before)
        const { steps, outcome } = await apply(clean, before, after)
        assert.equal(outcome, 'applied')
        const changes = steps.filter((step) => step !== 'network_answers').length
        assert.ok(changes > 1)
        for (let at = 1; at <= changes; at += 1) {
          // Root's own record is written as other files of its state folder are, which throws where it fails.
          if (fault === 'lies' && /keep|forget/.test(steps[at - 1] ?? '')) continue
          const kernel = await hostAt(before)
          const picture = kernel.picture()
          const ending = await apply(
            new FaultyKernel(kernel, (request) => (request === at ? fault : null)),
            before,
            after,
          )
          assert.equal(ending.outcome, 'restored', `step ${at}: ${steps[at - 1]}`)
          assert.equal(kernel.picture(), picture, `step ${at}: ${steps[at - 1]}`)
        }
      })

  it('is stuck, and says what to do, when undoing it fails too', async () => {
    const kernel = await hostAt(null)
    const faulty = new FaultyKernel(kernel, (request) => (request > 1 ? 'refuses' : null))
    const { outcome, remediation } = await apply(faulty, null, [exampleNetwork({ own_addresses: ['10.66.0.1'] })])
    assert.equal(outcome, 'stuck')
    assert.match(remediation.join(' '), /ip route show proto 84.*ip address show dev lo/)
  })

  it('lets the arrivals of its paths in once it is done, and is no failure where that fails', async () => {
    const kernel = await hostAt(null)
    let followed = 0
    kernel.answers.follow = async () => {
      followed += 1
      throw new Error('no')
    }
    assert.equal((await apply(kernel, null, [exampleNetwork()])).outcome, 'applied')
    assert.equal(followed, 1)
  })
})

describe('What follows the links of networks', () => {
  it('puts them in again whenever a link or an address changes, and when the helper starts', async () => {
    const kernel = await hostWithTunnels()
    await kernel.networks.keep([exampleNetwork({ own_addresses: ['10.66.0.1'] })])
    for (const cause of ['start', 'change'] as const) {
      kernel.networks.routes.clear()
      kernel.networks.addresses.clear()
      await followedNetworks(kernel).work(cause)
      assert.deepEqual([...kernel.networks.routes.keys(), ...kernel.networks.addresses], ['10.50.0.0/16', '10.66.0.1'])
    }
  })
})
