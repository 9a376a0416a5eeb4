// The law of tunnels that are answered through: whatever tunnels and addresses these are, no packet of any other flow
// leaves by another device than without them, and rules, routes and tables of other software stay as they are.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { AnswersRig, CLIENT, CONTAINER, FLOWS, INNER, MAIN, TUNNEL } from './answers-rig.ts'

const OUTSIDE = { 4: '198.18.0.1', 6: '2001:db8:f::1' } as const
const PROVIDER = { 4: '192.0.2.1', 6: '2001:db8:b::1' } as const
const PORT = 2001

/** Which packet left by which device. */
const LAW = `table inet law {
  set seen4 { type ifname . ipv4_addr . ipv4_addr . inet_proto; flags dynamic; size 4096; }
  set seen6 { type ifname . ipv6_addr . ipv6_addr . inet_proto; flags dynamic; size 4096; }
  chain out {
    type filter hook postrouting priority 400;
    meta l4proto { tcp, udp } add @seen4 { oifname . ip saddr . ip daddr . meta l4proto }
    meta l4proto { tcp, udp } add @seen6 { oifname . ip6 saddr . ip6 daddr . meta l4proto }
  }
}
`

/** Rules of other software, some as much like ours as may be. */
const FOREIGN_RULES = [
  'rule add fwmark 0x1/0xff lookup 100 priority 500',
  'rule add fwmark 0x53000001/0xff00ffff lookup 100 priority 19995 protocol 84',
  'rule add fwmark 0x54000007/0xff00ffff lookup 100 priority 19994 protocol 84',
  'rule add fwmark 0x54000001/0xff00ffff lookup main priority 19996',
  'rule add from 10.99.0.0/16 lookup 0x54000003 priority 19995 protocol 84',
  'rule add to 198.51.100.0/24 lookup 100 priority 19995',
] as const
const FOREIGN_ROUTES = [
  'route add 198.51.100.0/24 via 192.0.2.1 table 100 proto 84',
  'route add 203.0.114.0/24 dev br0 proto static',
  'route add default via 192.0.2.1 table 0x53000001 proto 84',
] as const

const tunnels = fc.uniqueArray(fc.constantFrom(TUNNEL, 'gre-a-2', 'gre-a-3'), { minLength: 1 })
const addresses = fc.array(
  fc.tuple(fc.constantFrom('gre-a-2', 'gre-a-3'), fc.constantFrom('10.66.1.1/32', '172.17.9.2/30', 'fd66::1/128')),
)

describe('The law of answers', function () {
  const rig = new AnswersRig()
  before(async () => {
    await rig.open()
    for (const { protocol, family } of FLOWS) {
      const address = family === 4 ? '0.0.0.0' : '::'
      const port = PORT + (family === 6 ? 100 : 0)
      await rig.programs.listen({ protocol, address, port })
    }
    rig.nft(LAW)
    for (const [at, name] of ['gre-a-2', 'gre-a-3'].entries())
      rig.ip(`link add ${name} type veth peer name x${at} netns ${rig.a.child.pid}`, `link set ${name} up`)
  })
  after(() => rig.close())

  /** Every flow that came in by no tunnel, or began here; where its packets left. */
  async function devices(): Promise<string[]> {
    rig.nft('flush set inet law seen4\nflush set inet law seen6\n')
    await Promise.all(
      FLOWS.flatMap(({ protocol, family }) => {
        const port = PORT + (family === 6 ? 100 : 0)
        const to = (address: string) => ({ protocol, address, port })
        return [
          // A neighbour that knows the tunnel's address, and one that passes through.
          rig.container.calls.talk(to(INNER[family])),
          rig.container.calls.talk(to(MAIN[family])),
          rig.container.calls.talk(to(OUTSIDE[family])),
          // A client that came in by the provider.
          rig.client.calls.talk(to(MAIN[family])),
          // What this host itself begins.
          rig.programs.talk(to(INNER[family])),
          rig.programs.talk(to(CONTAINER[family])),
          rig.programs.talk(to(OUTSIDE[family])),
          rig.programs.talk(to(PROVIDER[family])),
          rig.programs.talk(to(CLIENT[family])),
        ]
      }),
    )
    return ['seen4', 'seen6'].flatMap((name) => {
      const { nftables } = JSON.parse(rig.b.run('nft', ['-j', 'list', 'set', 'inet', 'law', name])) as {
        nftables: { set?: { elem?: unknown[] } }[]
      }
      return nftables
        .flatMap(({ set }) => set?.elem ?? [])
        .map((one) => JSON.stringify(one))
        .sort()
    })
  }

  /** All that is not ours, by `ip` and `nft`. */
  function others(): string {
    const lists = [4, 6].flatMap((family) => [
      ...rig.b
        .run('ip', [`-${family}`, 'rule', 'list'])
        .split('\n')
        .filter((line) => !isOurRule(line)),
      ...rig.b
        .run('ip', [`-${family}`, '-d', 'route', 'list', 'table', 'all'])
        .split('\n')
        .filter((line) => !isOurRoute(line)),
    ])
    return [...lists, rig.b.run('nft', ['list', 'chain', 'inet', 'law', 'out'])].join('\n')
  }
  const isOurRule = (line: string): boolean =>
    /^19995:\tfrom all fwmark 0x5400000[123]\/0xff00ffff lookup 140928614[567] proto 84/.test(line)
  const isOurRoute = (line: string): boolean => /^unicast default .*table 140928614[567] proto 84/.test(line)

  it('is kept by any tunnels with any addresses beside any foreign rules and routes', async () => {
    await fc.assert(
      fc.asyncProperty(
        tunnels,
        addresses,
        fc.subarray([...FOREIGN_RULES]),
        fc.subarray([...FOREIGN_ROUTES]),
        async (names, given, rules, routes) => {
          const foreign = [...routes, ...rules]
          const some = [...new Set(given.map(([name, address]) => `addr add ${address} dev ${name}`))]
          rig.ip(...some, ...foreign)
          try {
            const [was, left] = [others(), await devices()]
            assert.ok(left.length > 10)
            for (const name of names) await rig.kernel.answers.start(name)
            assert.ok((await rig.kernel.answers.found()).every(({ is_whole }) => is_whole))
            assert.deepEqual(await devices(), left)
            assert.equal(others(), was)
            await rig.kernel.answers.follow()
            for (const name of names) await rig.kernel.answers.stop(name)
            assert.equal(others(), was)
          } finally {
            for (const name of names) await rig.kernel.answers.stop(name)
            rig.ip(
              ...foreign.map((one) => one.replace(' add ', ' del ')),
              ...some.map((one) => one.replace(' add ', ' del ')),
            )
          }
        },
      ),
      { numRuns: 8 },
    )
  })
})
