// Links of a real kernel in a fresh namespace, with `ip` as the oracle. This kernel may lack GRE: the tunnel kinds are
// tried in the lab machine.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { HostInterface, RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import type { TunnelAddress } from '@panel/shared/tunnel/model.ts'
import type { LinkEvent } from '@panel/root-helper/netlink/events.ts'
import { LinksNamespace } from './links-namespace.ts'

interface IpCounters {
  bytes: number
  packets: number
  errors: number
  dropped: number
}

interface IpInterface {
  ifname: string
  ifindex: number
  mtu: number
  txqlen: number
  flags: string[]
  operstate: string
  address: string
  master?: string
  linkinfo?: { info_kind?: string; info_slave_kind?: string }
  addr_info: { local: string; prefixlen: number; address?: string }[]
  stats64: { rx: IpCounters; tx: IpCounters }
}

interface IpRoute {
  dst: string
  gateway?: string
  via?: { host: string }
  dev?: string
  nexthops?: { gateway?: string; dev: string }[]
  prefsrc?: string
  table?: string
  protocol: string
  metric?: number
}

/** What `ip` says, in our words. */
const asOurs = ({
  stats64: { rx, tx },
  ...link
}: IpInterface): Omit<HostInterface, 'class' | 'forwards_ipv4' | 'rp_filter'> => ({
  name: link.ifname,
  index: link.ifindex,
  mtu: link.mtu,
  kind: link.linkinfo?.info_kind ?? '',
  hardware_addr: link.address,
  oper_state: link.operstate as HostInterface['oper_state'],
  flags: link.flags,
  is_up: link.flags.includes('UP'),
  is_lower_up: link.flags.includes('LOWER_UP'),
  addresses: link.addr_info.map(({ local, prefixlen }) => `${local}/${prefixlen}`),
  statistics: {
    rx_bytes: rx.bytes,
    tx_bytes: tx.bytes,
    rx_packets: rx.packets,
    tx_packets: tx.packets,
    rx_errors: rx.errors,
    tx_errors: tx.errors,
    rx_dropped: rx.dropped,
    tx_dropped: tx.dropped,
  },
  bridge: link.linkinfo?.info_slave_kind === 'bridge' ? (link.master ?? '') : '',
})

const TABLES: Readonly<Record<string, number>> = { main: 254, default: 253, local: 255 }

function routeAsOurs(route: IpRoute, zero: string, bits: number): RoutingEntry {
  const hop = route.nexthops?.[0] ?? { gateway: route.gateway ?? route.via?.host ?? '', dev: route.dev ?? '' }
  const destination =
    route.dst === 'default' ? `${zero}/0` : route.dst.includes('/') ? route.dst : `${route.dst}/${bits}`
  return {
    destination,
    gateway: hop.gateway ?? '',
    device: hop.dev,
    is_default: destination === `${zero}/0`,
    source: route.prefsrc ?? '',
    table: route.table === undefined ? 254 : (TABLES[route.table] ?? Number(route.table)),
    protocol: route.protocol,
    metric: route.metric ?? 0,
    ...((route.nexthops?.length ?? 0) > 1 && { has_several_hops: true }),
  }
}

const v4 = (address: string, prefix_length: number, peer_address = ''): TunnelAddress => ({
  address,
  peer_address,
  prefix_length,
})

describe('links in a network namespace', function () {
  let host: LinksNamespace
  const one = (name: string): IpInterface => host.json<IpInterface[]>(`-d -s -j addr show dev ${name}`)[0]!

  before(() => {
    host = new LinksNamespace()
    host.batch(
      'link set lo up',
      'link add vx0 type vxlan id 5 dstport 4789',
      'link add ve0 type veth peer name ve1',
      'link add br0 type bridge',
      'link set ve1 master br0',
      'link set ve0 up',
      'link set ve1 up',
      'addr add 10.1.0.1/24 dev ve0',
      'addr add 10.1.0.9/24 dev ve0',
      'addr add 10.2.0.1 peer 10.2.0.2/32 dev ve0',
      'addr add 2001:db8:1::1/64 dev ve0 nodad',
      'addr add 2001:db8:2::1 peer 2001:db8:2::2/128 dev ve0 nodad',
    )
    host.run('ping', ['-c1', '-W1', '127.0.0.1'])
    for (const text of ['all.rp_filter=1', 've0.rp_filter=2', 've0.forwarding=1'])
      host.run('sysctl', ['-qw', `net.ipv4.conf.${text}`])
  })
  after(() => host.close())

  const setting = (name: string, key: string): number =>
    Number(host.run('sysctl', ['-n', `net.ipv4.conf.${name}.${key}`]))

  /**
   * What we and `ip` saw while no packet moved: a router solicitation between the two would count for one of them
   * alone.
   */
  const atRest = async (): Promise<{ ours: HostInterface[]; oracle: Omit<HostInterface, 'class'>[] }> => {
    for (let tries = 1; tries <= 10_000; tries += 1) {
      const before = await host.links.interfaces()
      const oracle = host.json<IpInterface[]>('-d -s -j addr show').map((link) => ({
        ...asOurs(link),
        forwards_ipv4: setting(link.ifname, 'forwarding') === 1,
        rp_filter: Math.max(setting('all', 'rp_filter'), setting(link.ifname, 'rp_filter')),
      }))
      const ours = await host.links.interfaces()
      if (isDeepStrictEqual(before, ours)) return { ours, oracle }
      await sleep(100)
    }
    throw new Error('The namespace does not come to rest')
  }

  it('are what `ip` says that they are: flags, state, addresses, hardware address, statistics, bridge, forwarding, reverse path filter', async () => {
    await sleep(2_000) // until the links' IPv6 has settled
    const { ours, oracle } = await atRest()
    assert.deepEqual(
      ours,
      oracle.map((link, i) => ({ ...link, class: ours[i]?.class })),
    )
    assert.ok(ours.find(({ name }) => name === 'lo')!.statistics.rx_packets > 0)
    assert.deepEqual(
      ours.filter(({ forwards_ipv4, bridge }) => forwards_ipv4 || bridge !== '').map(({ name }) => name),
      ['ve1', 've0'].sort(
        (a, b) => ours.findIndex(({ name }) => name === a) - ours.findIndex(({ name }) => name === b),
      ),
    )
  })

  it('are of the class that their kind tells', async () => {
    const classes = (await host.links.interfaces()).map((i) => [i.name, i.class])
    assert.deepEqual(Object.fromEntries(classes), {
      lo: 'loopback',
      vx0: 'tunnel',
      ve0: 'other',
      ve1: 'other',
      br0: 'other',
    })
  })

  it('have routes that are what `ip` says, in all tables, with several next hops and gateways of the other family', async () => {
    host.batch(
      'route add default via 10.1.0.254 metric 50',
      'route add 10.7.0.0/16 nexthop via 10.1.0.250 weight 2 nexthop via 10.1.0.251',
      'route add 10.8.0.0/16 via 10.1.0.254 table 1234567 proto static src 10.1.0.1',
      'route add 10.9.0.0/16 via inet6 2001:db8:1::9 dev ve0',
      'route add blackhole 10.66.0.0/16',
      'route add default via 2001:db8:1::fe dev ve0 proto bgp',
      'route add 2001:db8:77::/48 nexthop via 2001:db8:1::a dev ve0 nexthop via 2001:db8:1::b dev ve0',
    )
    const routes = (family: 4 | 6): RoutingEntry[] =>
      host
        .json<IpRoute[]>(`-${family} -d -j route show table all type unicast`)
        .map((route) => routeAsOurs(route, family === 4 ? '0.0.0.0' : '::', family === 4 ? 32 : 128))
    const sorted = (entries: RoutingEntry[]): string[] =>
      entries.map((entry) => JSON.stringify(Object.entries(entry).sort())).sort()
    assert.deepEqual(sorted(await host.links.routingTable()), sorted([...routes(4), ...routes(6)]))
  })

  it('are found by name whatever their kind, and are no tunnels where the kind is not ours', async () => {
    const found = await host.links.list(['vx0', 'no-such', 'lo', '', 'a-name-longer-than-the-kernel-takes'])
    assert.deepEqual(
      found.map((f) => [f.interface_name, f.observed.kind, f.link]),
      [
        ['vx0', 'vxlan', null],
        ['lo', '', null],
      ],
    )
  })

  it('are found by many names in one dump, just as by few', async () => {
    const many = ['vx0', 've0', 've1', 'br0', 'lo', ...Array.from({ length: 20 }, (_, i) => `none${i}`)]
    const byFew = await Promise.all(
      ['lo', 'vx0', 've1', 've0', 'br0'].map(async (name) => (await host.links.list([name]))[0]!),
    )
    const byIndex = (a: { observed: { index: number } }, b: { observed: { index: number } }): number =>
      a.observed.index - b.observed.index
    assert.deepEqual((await host.links.list(many)).sort(byIndex), byFew.sort(byIndex))
  })

  it('are not found by an alternative name', async () => {
    host.ip('link property add dev vx0 altname other-name')
    assert.deepEqual(await host.links.list(['other-name']), [])
    await assert.rejects(host.links.setUp('other-name', true), { code: 'ENODEV' })
  })

  it('that are not of our kinds are not in the list of tunnels', async () =>
    assert.deepEqual(await host.links.list(null), []))

  it('go up and down, and change MTU, queue length and multicast', async () => {
    await host.links.setUp('vx0', true)
    await host.links.setMtu('vx0', 1300)
    await host.links.setTxQueueLength('vx0', 123)
    await host.links.setMulticast('vx0', false)
    const { flags, mtu, txqlen } = one('vx0')
    assert.deepEqual([flags.includes('UP'), flags.includes('MULTICAST'), mtu, txqlen], [true, false, 1300, 123])
    await host.links.setUp('vx0', false)
    assert.ok(!one('vx0').flags.includes('UP'))
  })

  it('take and lose addresses of both families, with and without a peer', async () => {
    const addresses = [
      v4('10.5.0.1', 24),
      v4('10.6.0.1', 32, '10.6.0.2'),
      v4('10.6.0.1', 30, '10.6.0.5'),
      v4('2001:db8:5::1', 64),
      v4('2001:db8:6::1', 128, '2001:db8:6::2'),
    ]
    for (const address of addresses) await host.links.addAddress('br0', address)
    const reported = one('br0').addr_info.map(({ local, address, prefixlen }) => v4(local, prefixlen, address))
    assert.deepEqual(new Set(reported.map((a) => JSON.stringify(a))), new Set(addresses.map((a) => JSON.stringify(a))))
    for (const address of addresses) await host.links.removeAddress('br0', address)
    assert.deepEqual(one('br0').addr_info, [])
  })

  it('lose the one address that is removed and not those that the kernel takes with it', async () => {
    host.batch(
      'addr add 10.5.0.1/24 dev br0',
      'addr add 10.5.0.2/24 dev br0 label br0:x broadcast 10.5.0.255 noprefixroute',
      'addr add 10.5.0.3/24 dev br0',
    )
    const before = one('br0').addr_info.map((a) => ({
      ...a,
      secondary: undefined,
      valid_life_time: undefined,
      preferred_life_time: undefined,
    }))
    await host.links.removeAddress('br0', v4('10.5.0.1', 24))
    const after = one('br0').addr_info.map((a) => ({
      ...a,
      secondary: undefined,
      valid_life_time: undefined,
      preferred_life_time: undefined,
    }))
    assert.deepEqual(after, before.slice(1))
    host.ip('addr flush dev br0')
  })

  it("say why not, in the kernel's words", async () => {
    await assert.rejects(host.links.addAddress('ve0', v4('10.1.0.1', 24)), {
      code: 'EEXIST',
      message: /^add address 10\.1\.0\.1\/24 to ve0: .* \(EEXIST\)$/,
    })
    await assert.rejects(host.links.removeAddress('ve0', v4('10.9.9.9', 24)), { code: 'EADDRNOTAVAIL' })
    await assert.rejects(host.links.setMtu('ve0', 1), { code: 'EINVAL', message: /mtu less than device minimum/ })
    await assert.rejects(host.links.setUp('no-such', true), { code: 'ENODEV' })
  })

  it('that are not tunnels of ours are never deleted', async () => {
    for (const name of ['vx0', 've0', 'br0', 'lo']) {
      const message = new RegExp(`delete link ${name}: refused`)
      await assert.rejects(host.links.delete(name), { code: 'EPERM', message })
    }
    assert.equal((await host.links.interfaces()).length, 5)
  })

  it("of our kinds are supported or not, with the kernel's words, and none is made to find out", async () => {
    const before = host.json<IpInterface[]>('-j link').map(({ ifname }) => ifname)
    for (const kind of ['gre', 'gretap', 'ip6gre', 'ip6gretap'] as const) {
      const { supported, detail } = await host.links.supports(kind)
      if (supported) assert.match(detail, /has the .* driver/)
      else assert.match(detail, /^Unknown device type \(EOPNOTSUPP\)$/)
    }
    const after = host.json<IpInterface[]>('-j link').map(({ ifname }) => ifname)
    assert.deepEqual(
      after.filter((name) => !/^(gre0|gretap0|erspan0|ip6gre0|ip6tnl0)$/.test(name)),
      before,
    )
  })

  it('may be queried many times at once while they change', async () => {
    const flapping = Array.from({ length: 50 }, (_, i) => host.links.setMtu('vx0', 1300 + i))
    const readings = Array.from({ length: 50 }, () => host.links.interfaces())
    for (const reading of await Promise.all(readings)) assert.equal(reading.length, 5)
    await Promise.all(flapping)
    assert.equal(one('vx0').mtu, 1349)
  })

  it('tell of their changes, say when news was lost, and tell of the next changes again', async () => {
    const news = async () => (await host.call('received')) as { events: LinkEvent[]; lost: number }
    await host.call('watch')
    host.batch('link add ev0 type bridge', 'addr add 10.44.0.1/24 dev ev0', 'addr add 2001:db8:44::1/64 dev ev0')
    const { ifindex } = one('ev0')
    host.ip('link del ev0')
    const { events, lost } = await news()
    const has = (subject: string, is_removal: boolean): boolean =>
      events.some((e) => e.subject === subject && e.is_removal === is_removal && e.index === ifindex)
    assert.deepEqual(
      [has('link', false), has('address', false), has('address', true), has('link', true), lost],
      [true, true, true, true, 0],
    )
    await host.call(
      'busyWhile',
      Array.from({ length: 20_000 }, (_, i) => `link set dev vx0 mtu ${1200 + (i % 100)}`).join('\n'),
    )
    await sleep(200)
    assert.ok((await news()).lost > 0, 'the kernel should have run out of room')
    host.ip('link set vx0 mtu 1111')
    await sleep(50)
    assert.ok((await news()).events.some(({ name }) => name === 'vx0'))
  })
})
