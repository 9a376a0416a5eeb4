// What lies behind tunnels, as a host holds it: one route over the paths that carry now, and the addresses of this host
// that are reached by them. No ids: the kernel and root know a network by its destination.
import { integer, nullable, strict, Type, U32_MAX, type Static } from '../schema.ts'
import { CidrText, InterfaceName, IpText } from '../tunnel/model.ts'

/** As many as one change, or one request for some of them, names. */
export const NETWORKS_PER_CHANGE_MAX = 256
/** As many as root keeps. */
export const NETWORKS_MAX = 4095
export const PATHS_MAX = 16
export const OWN_ADDRESSES_MAX = 16
/** The protocol (RTA_PROTOCOL, IFA_PROTO, FRA_PROTOCOL) of all that is the panel's in the routing of the kernel. */
export const ROUTE_PROTOCOL = 84

/** `weight` 0: it carries nothing now, and what comes in by it is answered all the same. */
export const NetworkPath = strict({ interface_name: InterfaceName, weight: integer(0, 255) })
export type NetworkPath = Static<typeof NetworkPath>

/**
 * `own_addresses` stand on the loopback interface and are of the family of the destination. `is_answered`: what came in
 * by a path for one of them goes back by the paths; true where there is none of them. As found, a path whose link is
 * down or gone has the weight 0, and an address that is missing is not among them.
 */
export const NetworkState = strict({
  destination: CidrText,
  metric: integer(1, U32_MAX),
  source: nullable(IpText),
  paths: Type.Array(NetworkPath, { minItems: 1, maxItems: PATHS_MAX }),
  own_addresses: Type.Array(IpText, { maxItems: OWN_ADDRESSES_MAX }),
  is_answered: Type.Boolean(),
})
export type NetworkState = Static<typeof NetworkState>

/** Each under a destination of its own; null is none. */
export type NetworkStates = readonly NetworkState[]
export const NetworkStates = Type.Array(NetworkState, { minItems: 1, maxItems: NETWORKS_PER_CHANGE_MAX })

/** By what the kernel spreads flows over paths (net.*.fib_multipath_hash_policy): 0 is by addresses alone. */
const HashPolicy = nullable(integer(0, 255))
export const NetworksFound = strict({
  networks: Type.Array(NetworkState),
  hash_policy: strict({ ipv4: HashPolicy, ipv6: HashPolicy }),
})
export type NetworksFound = Static<typeof NetworksFound>
