// Foreign routes through a tunnel, which the kernel drops with the link. Pure.
import { sameState } from '../change/change.ts'
import type { RouteThrough, TunnelState } from './model.ts'

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
