import assert from 'node:assert/strict'
import { parseCidr } from '@panel/shared/address/ip.ts'
import type { RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import { routesTo } from '../../support/fake-routes.ts'
import { subnetsOf, waysOver, type TunnelRoute } from '@panel/web-daemon/features/tunnels/subnets.ts'

const address = (own: string, prefix_length: number, peer_address = '') => ({
  address: own,
  peer_address,
  prefix_length,
})

const network = (text: string) => parseCidr(text) ?? assert.fail(text)
const route = (destination: string, device: string, metric = 0): RoutingEntry => ({
  destination,
  device,
  metric,
  gateway: '',
  is_default: destination.endsWith('/0'),
  source: '',
  table: 254,
  protocol: 'static',
})

describe('The tunnel that leads to an address', () => {
  const tunnels = [
    { tunnel_id: 1, interface_name: 'gre-a-1', addresses: [address('10.0.0.1', 16)] },
    { tunnel_id: 2, interface_name: 'gre-a-2', addresses: [address('10.0.5.1', 30), address('fd00::1', 64)] },
    { tunnel_id: 3, interface_name: 'gre-a-3', addresses: [address('192.0.2.9', 32, '198.51.100.9')] },
  ]
  const over = (to: string, routes: readonly RoutingEntry[] = [], remembered: readonly TunnelRoute[] = []) =>
    waysOver(subnetsOf(tunnels), (address) => routesTo(routes, [address])[0]?.route, remembered)(to)?.tunnel_id

  it('has it in its subnet, the longest of those that do', () => {
    assert.deepEqual(
      ['10.0.9.9', '10.0.5.2', 'fd00::2'].map((to) => over(to)),
      [1, 2, 2],
    )
  })

  it('has it as the peer of an address, and its own address too', () => {
    assert.deepEqual(
      ['198.51.100.9', '192.0.2.9'].map((to) => over(to)),
      [3, 3],
    )
  })

  it('is none for an address outside, of another family, or that is none', () => {
    assert.deepEqual(
      ['10.1.0.1', 'fd01::1', 'example'].map((to) => over(to)),
      [undefined, undefined, undefined],
    )
  })

  it('is that of the route that the kernel finds, where no subnet is as long', () => {
    const routes = [
      route('0.0.0.0/0', 'gre-a-1'),
      route('10.9.0.0/16', 'gre-a-3', 5),
      route('10.9.0.0/16', 'gre-a-2', 9),
    ]
    assert.deepEqual(
      ['10.9.1.1', '203.0.113.1', '10.0.5.2'].map((to) => over(to, routes)),
      [3, 1, 2],
    )
  })

  it('is another interface where the kernel has a longer route through that than a subnet', () => {
    assert.equal(over('10.0.5.2', [route('10.0.5.2/32', 'eth0')]), null)
  })

  it('is that of a remembered route, unless the kernel has one to the same network', () => {
    const remembered = [{ tunnel_id: 3, network: network('10.9.0.0/16') }]
    assert.equal(over('10.9.1.1', [route('0.0.0.0/0', 'eth0')], remembered), 3)
    assert.equal(over('10.9.1.1', [route('10.9.0.0/16', 'eth0')], remembered), null)
  })
})
