// Which tunnel leads to an address. As in the kernel's look-up the longest network that holds the address wins; a
// tunnel that is down has no routes in the kernel, so that its subnets count whatever the kernel has.
import { enclosingNetwork, parseCidr, parseIp, type Cidr, type Family } from '@panel/shared/address/ip.ts'
import { addressNetworks } from '@panel/shared/tunnel/networks.ts'
import { isParticular } from './facts.ts'
import type { RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import type { ExistingTunnel } from './store.ts'

type Owner = Pick<ExistingTunnel, 'tunnel_id' | 'interface_name' | 'addresses'>

/** A route that the kernel had through a tunnel when it was last up. */
export interface TunnelRoute {
  readonly tunnel_id: number
  readonly network: Cidr
}

export interface Way {
  readonly network: Cidr
  /** Null: another interface. */
  readonly tunnel_id: number | null
  /** Neither a subnet of a tunnel nor a default route. */
  readonly isRoute: boolean
}

export interface Subnets {
  /** The ids by interface name. */
  readonly ids: ReadonlyMap<string, number>
  readonly subnetOf: (address: string) => Way | undefined
}

export const subnetsOf = (tunnels: readonly Owner[]): Subnets => ({
  ids: new Map(tunnels.map(({ interface_name, tunnel_id }) => [interface_name, tunnel_id])),
  subnetOf: longestMatch(
    tunnels.flatMap(({ tunnel_id, addresses }) =>
      addressNetworks(addresses).map((network) => ({ network, tunnel_id, isRoute: false })),
    ),
  ),
})

/**
 * Undefined where nothing is known that leads to the address. Of networks of one length a subnet counts before the
 * kernel's route, and that before a remembered one.
 */
export function waysOver(
  { ids, subnetOf }: Subnets,
  routeTo: (address: string) => RoutingEntry | null | undefined,
  remembered: readonly TunnelRoute[],
): (address: string) => Way | undefined {
  const rememberedTo = longestMatch(remembered.map((route) => ({ ...route, isRoute: true })))
  const kernelTo = (address: string): Way | undefined => {
    const entry = routeTo(address)
    const network = entry && parseCidr(entry.destination)
    if (!network) return undefined
    return { network, tunnel_id: ids.get(entry.device) ?? null, isRoute: isParticular({ entry, network }) }
  }
  const wayTo = (address: string): Way | undefined =>
    [subnetOf(address), kernelTo(address), rememberedTo(address)]
      .filter((way) => way !== undefined)
      .sort((a, b) => b.network.prefix_length - a.network.prefix_length)[0]
  const known = new Map<string, Way | undefined>()
  return (address) => {
    if (!known.has(address)) known.set(address, wayTo(address))
    return known.get(address)
  }
}

/** The entry of the longest network that holds an address. */
export function longestMatch<T extends { readonly network: Cidr }>(
  entries: readonly T[],
): (address: string) => T | undefined {
  const byNetwork = new Map<string, T>()
  const lengths: Record<Family, Set<number>> = { 4: new Set(), 6: new Set() }
  for (const entry of entries) {
    byNetwork.set(keyOf(entry.network), entry)
    lengths[entry.network.base.family].add(entry.network.prefix_length)
  }
  const longestFirst = { 4: descending(lengths[4]), 6: descending(lengths[6]) }
  return (address) => {
    const ip = parseIp(address)
    if (!ip) return undefined
    for (const length of longestFirst[ip.family]) {
      const found = byNetwork.get(keyOf(enclosingNetwork(ip, length)))
      if (found) return found
    }
    return undefined
  }
}

const keyOf = ({ base, prefix_length }: Cidr): string => `${base.family} ${prefix_length} ${base.value}`
const descending = (lengths: ReadonlySet<number>): number[] => [...lengths].sort((a, b) => b - a)
