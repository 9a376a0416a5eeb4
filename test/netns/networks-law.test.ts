// The law of networks on a real kernel: from any states to any, it holds what is wanted and nothing else of ours, and
// what others have made stays as it is.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { executeNetworkStep } from '@panel/root-helper/nouns/network/execute.ts'
import { canonicalNetworks, carrying, networksOrNull } from '@panel/shared/network/canonical.ts'
import type { NetworkStates } from '@panel/shared/network/model.ts'
import { planNetworks } from '@panel/shared/network/plan.ts'
import { repetitions } from '../support/counts.ts'
import { networkStates, PATH_NAMES } from '../support/random-networks.ts'
import { KernelNamespace } from './kernel-namespace.ts'

/** Some of them as much like ours as may be. */
const FOREIGN = [
  'route add 10.50.0.0/16 dev eth9 metric 7 proto static',
  'route add 10.50.0.0/16 dev eth9 metric 50 proto 84 table 100',
  'route add blackhole 10.51.0.0/25 metric 4000000000',
  'route add 10.52.0.0/16 dev eth9 metric 50 proto 84 table 100',
  'route add fd50::/48 dev eth9 metric 7 proto static',
  'route add fd51::/64 dev eth9 metric 50 proto 84 table 100',
  'route add fd60::/64 dev gre-a-1 metric 50 proto static',
  'addr add 10.66.9.1/32 dev lo',
  'addr add 10.66.9.2/32 dev lo scope host',
  'addr add fd66:9::1/128 dev lo',
] as const

describe('The law of networks', function () {
  const space = new KernelNamespace()
  const { networks } = space.kernel
  const ip = (...commands: readonly string[]): void => void space.run('ip', ['-batch', '-'], `${commands.join('\n')}\n`)
  before(async () => {
    await networks.found([])
    space.run('sysctl', ['-qw', 'net.ipv6.conf.default.accept_dad=0'])
    ip('link set lo up', 'link add eth9 type veth peer name eth8', 'link set eth8 up', 'link set eth9 up')
    // The last stands for a link without hardware addresses.
    for (const [at, name] of PATH_NAMES.entries())
      ip(
        `link add ${name} type veth peer name far${at}`,
        `link set far${at} up`,
        ...(at === 2 ? [`link set ${name} arp off`] : []),
        `addr add 172.17.${at}.1/30 dev ${name}`,
        `addr add fd17:${at}::1/126 dev ${name} nodad`,
        `link set ${name} up`,
      )
  })
  after(() => space.close())

  const found = async (): Promise<NetworkStates | null> =>
    canonicalNetworks(networksOrNull((await networks.found([])).map(({ state }) => state)))
  async function take(wanted: NetworkStates | null): Promise<void> {
    for (const step of planNetworks(await found(), wanted)) await executeNetworkStep(space.kernel, step)
  }

  /** All routes and addresses, by `ip`, a line each. */
  const picture = (): string[] =>
    [
      ...[4, 6].flatMap((family) =>
        space.run('ip', [`-${family}`, '-d', '-o', 'route', 'show', 'table', 'all']).split('\n'),
      ),
      ...space.run('ip', ['-o', 'address', 'show', 'dev', 'lo']).split('\n'),
      ...space.run('ip', ['rule', 'list']).split('\n'),
    ]
      // The number of a line and the time that is left of an address.
      .map((line) =>
        line
          .replace(/^\d+: lo/, 'lo')
          .replaceAll(/\\|valid_lft.*/g, ' ')
          .trim(),
      )
      .filter((line) => line !== '')
      .sort()

  /** What `ip` shows of a network, as it is to be. */
  function shown(states: NetworkStates | null): { routes: number; addresses: number } {
    const all = states ?? []
    return {
      routes: all.filter(({ paths }) => carrying(paths).length > 0).length,
      addresses: all.flatMap(({ own_addresses }) => own_addresses).length,
    }
  }

  it('is kept by any states beside any foreign routes and addresses', async () => {
    await fc.assert(
      fc.asyncProperty(networkStates, networkStates, fc.subarray([...FOREIGN]), async (before, after, foreign) => {
        // Each by itself: in a batch, ip takes the protocol of the line before for a name that it knows.
        for (const one of foreign) ip(one)
        const was = picture()
        try {
          for (const wanted of [before, after, before]) {
            await take(wanted)
            assert.deepEqual(await found(), wanted)
            const now = picture()
            assert.deepEqual(
              was.filter((line) => !now.includes(line)),
              [],
            )
            const more = now.filter((line) => !was.includes(line))
            const ours = more.filter((line) => /proto 84/.test(line) && !/table \d/.test(line) && !/fwmark/.test(line))
            assert.equal(ours.length, shown(wanted).routes, ours.join('\n'))
            const addresses = more.filter((line) => /^lo\s+inet/.test(line))
            assert.equal(addresses.length, shown(wanted).addresses, addresses.join('\n'))
          }
          await take(null)
          assert.deepEqual(picture(), was)
        } finally {
          await take(null)
          for (const one of foreign) ip(one.replace(' add ', ' del '))
        }
      }),
      { numRuns: repetitions('PANEL_NETWORKS') },
    )
  })

  it('is that each hop has its weight, its gateway where the link has hardware addresses, the metric and the source', async () => {
    const paths = PATH_NAMES.map((interface_name, at) => ({ interface_name, weight: at + 1 }))
    const state = { metric: 50, paths, lacks: [] }
    const [four, six] = [
      { ...state, destination: '10.50.0.0/16', source: '10.66.0.1', own_addresses: ['10.66.0.1'] },
      { ...state, destination: 'fd50::/48', source: 'fd66::1', own_addresses: ['fd66::1'] },
    ]
    await take(canonicalNetworks([four, six]))
    interface Shown {
      readonly metric: number
      readonly prefsrc?: string
      readonly protocol: string
      readonly nexthops: readonly { dev: string; weight: number; gateway?: string }[]
    }
    const route = (family: number, destination: string): Shown =>
      (JSON.parse(space.run('ip', ['-j', '-d', `-${family}`, 'route', 'show', destination])) as Shown[])[0]!
    const wordsOf = ({ metric, prefsrc, protocol, nexthops }: Shown) => [
      ...[metric, prefsrc, protocol],
      ...nexthops.map(({ dev, weight, gateway = '' }) => `${dev} ${weight} ${gateway}`),
    ]
    assert.deepEqual(wordsOf(route(4, '10.50.0.0/16')), [
      ...[50, '10.66.0.1', '84'],
      ...['gre-a-1 1 172.17.0.2', 'gre-a-2 2 172.17.1.2', 'gre-a-3 3 '],
    ])
    assert.deepEqual(wordsOf(route(6, 'fd50::/48')), [
      ...[50, 'fd66::1', '84'],
      ...['gre-a-1 1 fd17::2', 'gre-a-2 2 fd17:1::2', 'gre-a-3 3 fe80::54'],
    ])
    await take(null)
  })

  it('is that a foreign route that is the same is named, and never replaced, and an address neither', async () => {
    for (const [route, destination] of [
      ['10.50.0.0/16 dev eth9 metric 50 proto static', '10.50.0.0/16'],
      ['fd50::/48 dev eth9 metric 50 proto static', 'fd50::/48'],
    ]) {
      ip(`route add ${route}`)
      const was = picture()
      const own = destination?.startsWith('fd') ? 'fd66::1' : '10.66.0.1'
      const paths = [{ interface_name: 'gre-a-1', weight: 1 }]
      const state = { destination: destination ?? '', metric: 50, source: null, paths, own_addresses: [own], lacks: [] }
      assert.match((await networks.inTheWay([state]))?.message ?? '', /with the metric 50 already, by eth9/)
      await networks.keep([state])
      await assert.rejects(networks.setRoutes([state]), { code: 'EEXIST' })
      await assert.rejects(networks.follow(), { code: 'EEXIST' })
      await networks.removeAddress(own)
      assert.deepEqual(picture(), was)
      await networks.forget(state.destination)
      ip(`route del ${route}`, `addr add ${own}/${own.includes(':') ? 128 : 32} dev lo`)
      assert.match((await networks.inTheWay([state]))?.message ?? '', new RegExp(`${own} is an address of lo already`))
      await assert.rejects(networks.addAddress(own), { code: 'EEXIST' })
      await networks.removeAddress(own)
      ip(`addr del ${own}/${own.includes(':') ? 128 : 32} dev lo`)
      assert.equal(await networks.inTheWay([state]), null)
    }
  })

  const LOSSES: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
    'the routes': [
      ['route del 10.50.0.0/16 proto 84', '-6 route del fd50::/48 proto 84'],
      ['route', 'route'],
    ],
    'a hop': [
      [
        'route change 10.50.0.0/16 proto 84 metric 50 dev gre-a-1',
        'route replace fd50::/48 proto 84 metric 50 via fd17::2 dev gre-a-1',
      ],
      ['route', 'route'],
    ],
    'the order of routes, with one more of ours': [
      ['route add 10.50.0.0/16 proto 84 metric 7 dev gre-a-1', '-6 route add fd50::/48 proto 84 metric 7 dev gre-a-1'],
      ['route', 'route'],
    ],
    'a link that is down': [['link set gre-a-1 down'], ['gre-a-1', 'gre-a-1']],
    'its own addresses': [
      ['addr del 10.66.0.1/32 dev lo', '-6 addr del fd66::1/128 dev lo'],
      ['10.66.0.1', 'fd66::1'],
    ],
  }
  for (const [what, [lose, lacks]] of Object.entries(LOSSES))
    it(`is that what is lost is named, and put in again: ${what}`, async () => {
      const paths = ['gre-a-1', 'gre-a-2'].map((interface_name) => ({ interface_name, weight: 1 }))
      const state = { metric: 50, source: null, paths, lacks: [] }
      const states = canonicalNetworks([
        { ...state, destination: '10.50.0.0/16', own_addresses: ['10.66.0.1'] },
        { ...state, destination: 'fd50::/48', own_addresses: ['fd66::1'] },
      ])
      await take(states)
      for (const command of lose) space.run('sh', ['-c', `ip ${command}`])
      assert.deepEqual(
        (await found())?.map((one) => one.lacks.find((lack) => lacks.includes(lack))),
        lacks,
      )
      await networks.follow()
      if (what.includes('down')) {
        assert.deepEqual(
          (await found())?.map((one) => one.lacks),
          [['gre-a-1'], ['gre-a-1']],
        )
        ip('link set gre-a-1 up', 'addr replace fd17::1/126 dev gre-a-1 nodad')
        await networks.follow()
      }
      assert.deepEqual(await found(), states)
      await take(null)
    })

  it('is that a link which is made again has its paths again, and the others went on carrying', async () => {
    const paths = ['gre-a-1', 'gre-a-2'].map((interface_name) => ({ interface_name, weight: 1 }))
    const state = { metric: 50, source: null, paths, own_addresses: [], lacks: [] }
    const states = canonicalNetworks(['10.50.0.0/16', 'fd50::/48'].map((destination) => ({ ...state, destination })))
    await take(states)
    ip('link del gre-a-1')
    await networks.follow()
    const held = (await networks.found([])).map((one) => one.held?.paths.map(({ interface_name }) => interface_name))
    assert.deepEqual(held, [['gre-a-2'], ['gre-a-2']])
    assert.deepEqual(
      (await found())?.map((one) => one.lacks),
      [['gre-a-1'], ['gre-a-1']],
    )
    ip(
      ...['link add gre-a-1 type veth peer name far0', 'link set far0 up', 'addr add 172.17.0.1/30 dev gre-a-1'],
      ...['addr add fd17::1/126 dev gre-a-1 nodad', 'link set gre-a-1 up'],
    )
    await networks.follow()
    assert.deepEqual(await found(), states)
    await take(null)
  })
})
