// The kernel's routes as entries of the model.
import type { RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import { RTN_UNICAST, RTPROT_NAMES } from '../../netlink/constants.ts'
import type { RawRoute } from '../../netlink/route.ts'

/**
 * Routes that lead somewhere: an entry of the model has no word for local, broadcast, blackhole and the like, and would
 * make them look like roads.
 */
export function routingEntries(routes: readonly RawRoute[], names: ReadonlyMap<number, string>): RoutingEntry[] {
  return routes.filter(({ type, isCached }) => type === RTN_UNICAST && !isCached).map((route) => entry(route, names))
}

const entry = (route: RawRoute, names: ReadonlyMap<number, string>): RoutingEntry => ({
  destination: `${route.destination}/${route.prefix_length}`,
  gateway: route.gateway,
  device: names.get(route.index) ?? '',
  is_default: route.prefix_length === 0,
  source: route.source,
  table: route.table,
  protocol: RTPROT_NAMES[route.protocol] ?? String(route.protocol),
  metric: route.metric,
})
