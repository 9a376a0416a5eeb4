// The kernel's routes as entries of the model.
import { ROUTE_PROTOCOL } from '@panel/shared/network/model.ts'
import type { FoundRoute, RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import type { RouteThrough } from '@panel/shared/tunnel/model.ts'
import {
  RT_SCOPE_LINK,
  RT_SCOPE_UNIVERSE,
  RTN_BLACKHOLE,
  RTN_LOCAL,
  RTN_PROHIBIT,
  RTN_UNICAST,
  RTN_UNREACHABLE,
  RTPROT_KERNEL,
  RTPROT_NAMES,
} from '../../netlink/constants.ts'
import type { Message } from '../../netlink/message.ts'
import { decodeRoute, extrasOf, type NewRoute, type RawRoute } from '../../netlink/route.ts'

/**
 * Routes that lead somewhere: an entry of the model has no word for local, broadcast, blackhole and the like, and would
 * make them look like roads.
 */
export function routingEntries(routes: readonly RawRoute[], names: ReadonlyMap<number, string>): RoutingEntry[] {
  return routes.filter(({ type, isCached }) => type === RTN_UNICAST && !isCached).map((route) => entry(route, names))
}

export function foundRoute(route: RawRoute | null, names: ReadonlyMap<number, string>): FoundRoute {
  const found = (route && routingEntries([route], names)[0]) ?? null
  if (found) return { kind: 'unicast', route: found }
  const kind = route === null || REFUSING.has(route.type) ? 'none' : route.type === RTN_LOCAL ? 'local' : 'other'
  return { kind, route: null }
}

/** The kernel also answers these with an error, depending on the family. */
const REFUSING: ReadonlySet<number> = new Set([RTN_BLACKHOLE, RTN_UNREACHABLE, RTN_PROHIBIT])

const entry = (route: RawRoute, names: ReadonlyMap<number, string>): RoutingEntry => ({
  destination: `${route.destination}/${route.prefix_length}`,
  gateway: route.gateway,
  device: names.get(route.index) ?? '',
  is_default: route.prefix_length === 0,
  source: route.source,
  table: route.table,
  protocol: protocolName(route.protocol),
  metric: route.metric,
  ...(route.hops.length > 1 && { has_several_hops: true }),
})

const protocolName = (protocol: number): string => RTPROT_NAMES[protocol] ?? String(protocol)

/** The kernel adds the first by itself, and root the others as links come and go. */
const OWN_WAYS: readonly number[] = [RTPROT_KERNEL, ROUTE_PROTOCOL]

/** Those over one link that are of other programs. */
export function routesThrough(messages: readonly Message[]): RouteThrough[] {
  return messages.flatMap((message) => {
    const route = decodeRoute(message)
    if (!route || route.type !== RTN_UNICAST || route.isCached || OWN_WAYS.includes(route.protocol)) return []
    return [routeThrough(route, extrasOf(message))]
  })
}

function routeThrough(route: RawRoute, extras: readonly string[]): RouteThrough {
  const { destination, prefix_length, gateway, source, table, metric, scope, isOnlink } = route
  const hasOtherScope = scope !== RT_SCOPE_LINK && scope !== RT_SCOPE_UNIVERSE
  return {
    destination: `${destination}/${prefix_length}`,
    gateway,
    source,
    table,
    protocol: protocolName(route.protocol),
    metric,
    is_link_scope: scope === RT_SCOPE_LINK,
    is_onlink: isOnlink,
    unmodelled: [...extras, ...(hasOtherScope ? ['scope'] : [])],
  }
}

/** The other way round, over the link with the index. */
export function asNewRoute(route: RouteThrough, index: number): NewRoute {
  const [destination = '', prefix_length = ''] = route.destination.split('/')
  return {
    destination,
    prefix_length: Number(prefix_length),
    hops: [{ index, gateway: route.gateway, weight: 1, isOnlink: route.is_onlink }],
    source: route.source,
    table: route.table,
    protocol: Number(Object.keys(RTPROT_NAMES).find((number) => protocolName(Number(number)) === route.protocol)),
    metric: route.metric,
    scope: route.is_link_scope ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE,
  }
}
