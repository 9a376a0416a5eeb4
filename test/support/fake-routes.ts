// The kernel's look-up in a routing table: the longest network that holds the address, then the lowest metric.
import { contains, parseCidr, parseIp } from '@panel/shared/address/ip.ts'
import type { FoundRoute, HostInterface, RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import type { RouteThrough } from '@panel/shared/tunnel/model.ts'

export function routesTo(
  table: readonly RoutingEntry[],
  addresses: readonly string[],
  interfaces: readonly Pick<HostInterface, 'addresses'>[] = [],
): FoundRoute[] {
  const entries = table.flatMap((route) => {
    const network = parseCidr(route.destination)
    return network ? [{ route, network }] : []
  })
  const own = interfaces.flatMap((one) => one.addresses.map((text) => text.split('/')[0]))
  return addresses.map((address) => {
    const ip = parseIp(address)
    const [best] = entries
      .filter(({ network }) => ip && contains(network, ip))
      .sort((a, b) => b.network.prefix_length - a.network.prefix_length || a.route.metric - b.route.metric)
    // A test that has the operator come by a tunnel routes loopback through it.
    if (own.includes(address) && best?.route.is_default !== false) return { kind: 'local', route: null }
    return best ? { kind: 'unicast', route: best.route } : { kind: 'none', route: null }
  })
}

/** A foreign route through a tunnel. */
export const routeThrough = (destination: string, fields: Partial<RouteThrough> = {}): RouteThrough => ({
  destination,
  gateway: '',
  source: '',
  table: 254,
  protocol: 'static',
  metric: 0,
  is_link_scope: fields.gateway === undefined && !destination.includes(':'),
  is_onlink: false,
  unmodelled: [],
  ...fields,
})

/** Foreign routes through links, by the names of the links. */
export class FakeRoutesThrough extends Map<string, RouteThrough[]> {
  /** Whether it was not there yet. */
  add(name: string, route: RouteThrough): boolean {
    const there = this.get(name) ?? []
    if (there.some((one) => JSON.stringify(one) === JSON.stringify(route))) return false
    this.set(name, [...there, route])
    return true
  }

  picture(): unknown {
    return [...this].map(([name, routes]) => [name, routes.map((one) => JSON.stringify(one)).sort()]).sort()
  }
}

export const fakeRoute = (destination: string, device: string): RoutingEntry => ({
  destination,
  gateway: destination.endsWith('/0') ? (destination.includes(':') ? '2001:db8::fe' : '192.0.2.254') : '',
  device,
  is_default: destination.endsWith('/0'),
  source: '',
  table: 254,
  protocol: 'static',
  metric: 0,
})
