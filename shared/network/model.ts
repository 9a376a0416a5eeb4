// What lies behind tunnels, as a host holds it: one route over the paths that carry now, and the addresses of this host
// that are reached by them. No ids: the kernel and root know a network by its destination.
import { integer, nullable, strict, Type, U32_MAX, type Static } from '../schema.ts'
import { CidrText, InterfaceName, IpText } from '../tunnel/model.ts'

/** The most that one change names. */
export const NETWORKS_PER_CHANGE_MAX = 300
/** The most that root keeps. */
export const NETWORKS_MAX = 4095
export const PATHS_MAX = 16
export const OWN_ADDRESSES_MAX = 16
/** The protocol (RTA_PROTOCOL, IFA_PROTO, FRA_PROTOCOL) of all that is the panel's in the routing of the kernel. */
export const ROUTE_PROTOCOL = 84

/** `weight` 0: it carries nothing now, and what comes in by it is answered all the same. */
export const NetworkPath = strict({ interface_name: InterfaceName, weight: integer(0, 255) })
export type NetworkPath = Static<typeof NetworkPath>

/**
 * What root keeps and boot brings back; addresses are of the family of the destination, and the own ones stand on the
 * loopback interface. `lacks` is what of it the kernel does not hold: own addresses, paths that should carry and do not,
 * since their link is down or gone, and by these words:
 * route: the route is another one, or missing. answers: what comes in by the paths for the own addresses does not
 * certainly go back by them.
 */
export const NetworkState = strict({
  destination: CidrText,
  metric: integer(1, U32_MAX),
  source: nullable(IpText),
  paths: Type.Array(NetworkPath, { minItems: 1, maxItems: PATHS_MAX }),
  own_addresses: Type.Array(IpText, { maxItems: OWN_ADDRESSES_MAX }),
  lacks: Type.Array(Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,39}$' })),
})
export type NetworkState = Static<typeof NetworkState>

/** Each under a destination of its own; null is none. */
export type NetworkStates = readonly NetworkState[]
export const NetworkStates = Type.Array(NetworkState, { minItems: 1, maxItems: NETWORKS_PER_CHANGE_MAX })

/** What the kernel spreads flows over paths by (net.*.fib_multipath_hash_policy): 0 is by addresses alone. */
const HashPolicy = nullable(integer(0, 255))
/** `held`: the route as the kernel holds it, null if it holds none; its paths are those that carry. */
export const NetworkFound = strict({
  state: NetworkState,
  held: nullable(strict({ metric: integer(0, U32_MAX), source: nullable(IpText), paths: Type.Array(NetworkPath) })),
})
export type NetworkFound = Static<typeof NetworkFound>
export const NetworksFound = strict({
  networks: Type.Array(NetworkFound),
  hash_policy: strict({ ipv4: HashPolicy, ipv6: HashPolicy }),
})
export type NetworksFound = Static<typeof NetworksFound>
