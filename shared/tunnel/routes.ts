// Routes of others through a tunnel, which the kernel drops with the link. Pure.
import { sameState } from '../change/change.ts'
import { integer, strict, Type, U32_MAX, type Static } from '../schema.ts'
import type { TunnelState } from './model.ts'
import { CidrText, RoutingEntry } from './observed.ts'

/**
 * A unicast route through a link that the kernel did not add by itself; "" is none. `unmodelled` names what of it cannot
 * be put back, such as several next hops or metrics.
 */
export const RouteThrough = strict({
  destination: CidrText,
  gateway: RoutingEntry.properties.gateway,
  source: RoutingEntry.properties.source,
  table: integer(0, U32_MAX),
  protocol: RoutingEntry.properties.protocol,
  metric: integer(0, U32_MAX),
  is_link_scope: Type.Boolean(),
  is_onlink: Type.Boolean(),
  unmodelled: Type.Array(Type.String({ pattern: '^[\\x20-\\x7e]{1,80}$' })),
})
export type RouteThrough = Static<typeof RouteThrough>

/** What of the wanted routes is there: others may add more at any time. */
export function onlyRoutesOf(wanted: TunnelState | null, found: TunnelState | null): TunnelState | null {
  if (!found?.link) return found
  const { routes: there = [], ...link } = found.link
  const routes = wanted?.link?.routes?.filter((one) => there.some((other) => sameState(one, other)))
  return { ...found, link: routes ? { ...link, routes } : link }
}

export function formatRoute({ destination, gateway, source, table, metric, is_onlink }: RouteThrough): string {
  const words = [
    destination,
    ...(gateway ? ['via', gateway] : []),
    ...(source ? ['src', source] : []),
    ...(table === MAIN_TABLE ? [] : ['table', String(table)]),
    ...(metric ? ['metric', String(metric)] : []),
    ...(is_onlink ? ['onlink'] : []),
  ]
  return words.join(' ')
}

/** RT_TABLE_MAIN in linux/rtnetlink.h. */
const MAIN_TABLE = 254
