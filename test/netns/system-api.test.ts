// The interfaces and routes that the panel tells of over HTTP, beside what `ip` says in the same network namespace.
import assert from 'node:assert/strict'
import type { InterfacesAnswer, RoutingTableAnswer } from '@panel/shared/api/system.ts'
import type { Client } from '../api/support/client.ts'
import { requestThrough, startPanel, type TestPanel } from '../api/support/panel.ts'
import { subnetsOf, waysOver } from '@panel/web-daemon/features/tunnels/subnets.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { LinksNamespace } from './links-namespace.ts'

interface IpLink {
  ifname: string
  ifindex: number
  mtu: number
  operstate: string
  address: string
  flags: string[]
  addr_info: { local: string; prefixlen: number; family: string; scope: string }[]
}

interface IpRoute {
  dst: string
  gateway?: string
  dev: string
  metric?: number
  protocol: string
  prefsrc?: string
}

describe('GET /system/interfaces and /system/routes, on the kernel', function () {
  let host: LinksNamespace
  let panel: TestPanel
  let client: Client
  before(async () => {
    host = new LinksNamespace()
    host.batch(
      'link set lo up',
      'link add ve0 type veth peer name ve1',
      'link add vx0 type vxlan id 7 dstport 4789 dev lo',
      'link add br0 type bridge',
      'link set ve0 up',
      'link set ve1 up mtu 1400',
      'addr add 10.1.0.1/24 dev ve0',
      'addr add 2001:db8:1::1/64 dev ve0 nodad',
      'route add default via 10.1.0.254 metric 50',
      'route add 10.7.0.0/16 via 10.1.0.250 src 10.1.0.1 proto static',
      'route add default via 2001:db8:1::fe dev ve0',
    )
    panel = await startPanel({
      request: requestThrough(
        inProcessHelper(Object.create(new FakeKernel(), { links: { value: host.links } }) as FakeKernel).request,
      ),
    })
    client = await panel.setUp()
  })
  after(async () => {
    await panel.close()
    await host.close()
  })

  it('every interface is what ip says, and of its class', async () => {
    const { interfaces, total } = (await client.get<InterfacesAnswer>('/system/interfaces')).body
    const links = host.json<IpLink[]>('-j addr show')
    assert.equal(total, links.length)
    const isGlobal = (text: string): boolean => !text.startsWith('fe80:')
    for (const { ifname, ifindex, mtu, address, flags, addr_info } of links) {
      const reported = interfaces.find(({ name }) => name === ifname)
      assert.ok(reported, ifname)
      assert.deepEqual(
        [reported.index, reported.mtu, reported.hardware_addr, reported.is_up],
        [ifindex, mtu, address, flags.includes('UP')],
      )
      assert.deepEqual(
        reported.addresses.filter(isGlobal).sort(),
        addr_info
          .map(({ local, prefixlen }) => `${local}/${prefixlen}`)
          .filter(isGlobal)
          .sort(),
      )
    }
    assert.deepEqual(Object.fromEntries(interfaces.map(({ name, class: of }) => [name, of])), {
      lo: 'loopback',
      ve0: 'other',
      ve1: 'other',
      vx0: 'tunnel',
      br0: 'other',
    })
  })

  it('every route of the main table is what ip says', async () => {
    const { routes, total, default_route_devices } = (await client.get<RoutingTableAnswer>('/system/routes')).body
    const output = ([4, 6] as const).flatMap((family) =>
      host.json<IpRoute[]>(`-${family} -d -j route show table main`).map((route) => ({
        ...route,
        dst: route.dst === 'default' ? (family === 4 ? '0.0.0.0/0' : '::/0') : route.dst,
      })),
    )
    const reported = routes
      .filter(({ table }) => table === 254)
      .map(({ destination, gateway, device, metric, protocol, source }) =>
        [destination, gateway, device, metric, protocol, source].join(' '),
      )
    assert.deepEqual(
      reported.sort(),
      output
        .map(({ dst, gateway = '', dev, metric = 0, protocol, prefsrc = '' }) =>
          [dst, gateway, dev, metric, protocol, prefsrc].join(' '),
        )
        .sort(),
    )
    assert.deepEqual([total, default_route_devices], [routes.length, ['ve0']])
  })

  it('lead to an address just as ip route get says, by whatever table, and nowhere where it says so', async () => {
    host.batch(
      'link add da1 type veth peer name db1',
      'link add da2 type veth peer name db2',
      'link set da1 up',
      'link set db1 up',
      'link set da2 up',
      'link set db2 up',
      'addr add 172.17.1.1/30 dev da1',
      'route add 10.9.0.0/16 dev da1',
      'route add 10.9.8.0/24 via 172.17.1.2',
      'route add 10.9.9.0/24 dev da2 metric 9',
      'route add 10.9.9.0/24 dev da1 metric 20',
      'route add 10.9.9.9/32 dev ve0',
      'route add fd09::/32 dev da2',
      'route add default dev da2 table 66',
      'rule add to 10.66.0.0/16 lookup 66',
      'route add blackhole 10.77.0.0/16',
      'route add unreachable 10.78.0.0/16',
      'route add prohibit 10.79.0.0/16',
      'route add unreachable fd77::/32',
    )
    const tunnels = ['da1', 'da2'].map((interface_name, at) => ({ interface_name, tunnel_id: at, addresses: [] }))
    const addresses = [
      '172.17.1.2',
      '10.9.1.1',
      '10.9.8.1',
      '10.9.9.1',
      '10.9.9.9',
      '203.0.113.1',
      'fd09::1',
      '10.66.0.1',
    ]
    const found = await host.links.routesTo(addresses)
    const wayTo = waysOver(subnetsOf(tunnels), (address) => found[addresses.indexOf(address)]?.route, [])
    for (const address of addresses) {
      const [{ dev } = { dev: '' }] = host.json<IpRoute[]>(`-j route get ${address}`)
      const name = tunnels.find(({ tunnel_id }) => tunnel_id === wayTo(address)?.tunnel_id)?.interface_name ?? 've0'
      assert.equal(name, dev, address)
    }
    assert.deepEqual(
      found.map(({ route }) => route?.destination),
      [
        '172.17.1.0/30',
        '10.9.0.0/16',
        '10.9.8.0/24',
        '10.9.9.0/24',
        '10.9.9.9/32',
        '0.0.0.0/0',
        'fd09::/32',
        '0.0.0.0/0',
      ],
    )
    const nowhere = ['10.77.0.1', '10.78.0.1', '10.79.0.1', '999.1.1.1', 'fd77::1']
    assert.deepEqual(
      await host.links.routesTo([...nowhere, '172.17.1.1', '::1', '224.0.0.1']),
      [...nowhere.map(() => 'none'), 'local', 'local', 'other'].map((kind) => ({ kind, route: null })),
    )
    host.batch('link set da1 down')
    const left = (await client.get<RoutingTableAnswer>('/system/routes')).body.routes
    assert.deepEqual(
      left.filter(({ device }) => device === 'da1'),
      [],
      'the kernel drops all routes of a link that goes down',
    )
  })
})
