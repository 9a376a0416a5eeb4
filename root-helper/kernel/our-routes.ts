// The routes that are the panel's, by their protocol, whichever table they are in.
import { ROUTE_PROTOCOL } from '@panel/shared/network/model.ts'
import { KernelError } from '../kernel-error.ts'
import type { AddressFamily } from '../netlink/bytes.ts'
import { AF_INET, AF_INET6, RT_SCOPE_NOWHERE, RTN_UNICAST } from '../netlink/constants.ts'
import type { Message } from '../netlink/message.ts'
import { decodeRoute, dumpRoutes, type NewRoute, type RawRoute } from '../netlink/route.ts'
import type { NetlinkSocket, Request } from '../netlink/socket.ts'

export type Dumping = Pick<NetlinkSocket, 'dump'>

/** A route that the kernel holds; some of its hops may be dead. */
export type OurRoute = Omit<NewRoute, 'hops'> & Pick<RawRoute, 'hops'>

export async function ourRoutes(socket: Dumping, isOfTable: (table: number) => boolean): Promise<OurRoute[]> {
  const routes = await dumpBoth(socket, (family) => dumpRoutes(family, { protocol: ROUTE_PROTOCOL }))
  return routes.map(decodeRoute).flatMap((route) => {
    if (route?.protocol !== ROUTE_PROTOCOL || route.type !== RTN_UNICAST || route.isCached) return []
    const { destination, prefix_length, source, table, protocol, metric, scope, hops } = route
    return isOfTable(table) ? [{ destination, prefix_length, source, table, protocol, metric, scope, hops }] : []
  })
}

/** What counts of a hop: a dead one is none, and one alone has no weight. */
export function hopsThatCarry(hops: readonly (NewRoute['hops'] | RawRoute['hops'])[number][]) {
  const alive = hops.filter((hop) => !('isDead' in hop && hop.isDead))
  return alive
    .map(({ index, gateway, weight }) => ({ index, gateway, weight: alive.length === 1 ? 1 : weight }))
    .sort((a, b) => a.index - b.index)
}

/** Equal text is the same route. A scope is of IPv4 alone, and follows from the hops. */
export const shapeOf = ({ destination, prefix_length, source, table, metric, hops }: OurRoute | NewRoute): string =>
  JSON.stringify([destination, prefix_length, source, table, metric, hopsThatCarry(hops)])

/** For removing it: the kernel compares hops that are given one by one, dead ones too. */
export const withoutHops = (route: OurRoute): NewRoute => ({
  ...route,
  scope: RT_SCOPE_NOWHERE,
  hops: route.hops.length > 1 ? [] : route.hops.map((hop) => ({ ...hop, isOnlink: false })),
})

/** A kernel without IPv6 has nothing of that family. */
export async function dumpBoth(socket: Dumping, request: (family: AddressFamily) => Request): Promise<Message[]> {
  const dumps = [AF_INET, AF_INET6].map((family) =>
    socket.dump(request(family as AddressFamily)).catch((error: unknown) => {
      if (family === AF_INET6 && error instanceof KernelError && NO_FAMILY.includes(error.code)) return []
      throw error
    }),
  )
  return (await Promise.all(dumps)).flat()
}

const NO_FAMILY: readonly string[] = ['EAFNOSUPPORT', 'EOPNOTSUPP', 'EPFNOSUPPORT']
