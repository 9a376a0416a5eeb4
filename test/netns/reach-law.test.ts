// The law of what a tunnel may draw to itself, by the kernel's own routing: an address that root accepts moves the way
// to nothing outside the tunnel's own networks, and to nobody who is needed there.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { contains, parseIp, type Ip } from '@panel/shared/address/ip.ts'
import { canonicalAddress } from '@panel/shared/tunnel/canonical.ts'
import type { TunnelAddress } from '@panel/shared/tunnel/model.ts'
import { addressNetworks } from '@panel/shared/tunnel/networks.ts'
import { allowReach } from '@panel/root-helper/reach.ts'
import { RefusedError } from '@panel/root-helper/refused.ts'
import { exampleTunnel } from '../support/example.ts'
import { KernelNamespace } from './kernel-namespace.ts'

const CLIENT = '198.51.100.7'
const NEEDED = [
  '192.0.2.1',
  '192.0.2.254',
  '192.0.2.253',
  '10.8.0.1',
  '10.8.0.2',
  CLIENT,
  '2001:db8::1',
  '2001:db8::fe',
]
const OTHERS = [
  '8.8.8.8',
  '1.1.1.1',
  '127.0.0.1',
  '192.0.2.77',
  '10.9.1.1',
  '172.17.1.9',
  '224.0.0.1',
  '2606:4700::1',
  'fd00:1::9',
]

const octet = fc.integer({ min: 0, max: 255 })
const ipv4 = fc.oneof(
  fc.constantFrom(...NEEDED, ...OTHERS).filter((text) => !text.includes(':')),
  fc.tuple(fc.constantFrom(10, 127, 172, 192, 198, 203, 8, 224), octet, octet, octet).map((octets) => octets.join('.')),
)
const ipv6 = fc.oneof(
  fc.constantFrom(...NEEDED, ...OTHERS, '::5', '2001:db8::77').filter((text) => text.includes(':')),
  fc
    .tuple(fc.constantFrom('2001:db8:', 'fd00:', 'fe80::'), octet)
    .map(([start, end]) => `${start}:${end.toString(16)}`)
    .filter((text) => parseIp(text) !== null),
)
const tunnelAddress: fc.Arbitrary<TunnelAddress> = fc
  .oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        address: ipv4,
        peer_address: fc.oneof(fc.constant(''), ipv4),
        prefix_length: fc.integer({ min: 0, max: 32 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        address: ipv6,
        peer_address: fc.constant(''),
        prefix_length: fc.integer({ min: 1, max: 128 }),
      }),
    },
  )
  .filter(({ address, peer_address }) => address !== peer_address)
  .map(canonicalAddress)

describe('An address that root lets a tunnel have', function () {
  const host = new KernelNamespace()
  before(async () => {
    await host.kernel.links.interfaces() // by then it is in its namespace
    for (const command of [
      'link set lo up',
      ...['card0', 'card1', 'tun0'].map((name) => `link add ${name} type veth peer name ${name}-far`),
      ...['card0', 'card1', 'tun0'].flatMap((name) => [`link set ${name} up`, `link set ${name}-far up`]),
      'address add 192.0.2.1/24 dev card0',
      'address add 2001:db8::1/64 dev card0 nodad',
      'address add 10.8.0.1/30 dev card1',
      'route add default via 192.0.2.254',
      'route add 203.0.113.0/24 nexthop via 10.8.0.2 nexthop via 192.0.2.253',
      'route add ::/0 via 2001:db8::fe',
    ])
      host.run('ip', command.split(' '))
    await host.kernel.ownLinks.keep(Number.parseInt(host.run('ip', ['-o', 'link', 'show', 'tun0'])))
  })
  after(() => host.close())

  /** The kernel's way to each address, and the source it takes. */
  const ways = (addresses: readonly string[]): string =>
    host.run(
      'sh',
      ['-c', 'ip -force -batch - 2>&1 || true'],
      addresses.map((address) => `route get ${address}\n`).join(''),
    )

  const isAllowed = (address: TunnelAddress): Promise<boolean> => {
    const tunnel = exampleTunnel({ addresses: [address] }, 'tun0')
    const reach = {
      links: host.kernel.links,
      ownAccess: {
        ports: async () => [],
        configured: async () => [],
        clients: async () => [{ address: CLIENT, came_to: '192.0.2.1' }],
        resolvers: async () => [],
      },
    }
    return allowReach(reach, [], [tunnel]).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RefusedError) return false
        throw error
      },
    )
  }

  it('moves the way to its own networks alone, which hold nobody who is needed', async () => {
    const seen = { allowed: 0, refused: 0, harmful: 0 }
    await fc.assert(
      fc.asyncProperty(tunnelAddress, async (address) => {
        const own = addressNetworks([address])
        const isOwn = (text: string): boolean => own.some((network) => contains(network, parseIp(text) as Ip))
        const outside = [...NEEDED, ...OTHERS.filter((text) => !isOwn(text))]
        const before = ways(outside)
        const allowed = await isAllowed(address)
        seen[allowed ? 'allowed' : 'refused'] += 1
        const isTaken = await host.kernel.links.addAddress('tun0', address).then(
          () => true,
          () => false,
        )
        try {
          const isMoved = ways(outside) !== before
          if (isMoved) seen.harmful += 1
          if (allowed) {
            assert.ok(isTaken, `the kernel refuses ${JSON.stringify(address)}`)
            assert.equal(ways(outside), before)
          }
        } finally {
          if (isTaken) await host.kernel.links.removeAddress('tun0', address)
        }
      }),
      { numRuns: 150 },
    )
    assert.ok(seen.allowed > 10 && seen.refused > 10 && seen.harmful > 5, JSON.stringify(seen))
  })

  it('is under no alternative name of another interface', async () => {
    host.run('ip', 'link property add dev card0 altname uplink7'.split(' '))
    const allow = (name: string) =>
      allowReach(
        {
          links: host.kernel.links,
          ownAccess: {
            ports: async () => [],
            configured: async () => [],
            clients: async () => [],
            resolvers: async () => [],
          },
        },
        [],
        [exampleTunnel({}, name)],
      )
    await assert.rejects(allow('uplink7'), /another name of the interface card0/)
    await allow('uplink8')
  })
})
