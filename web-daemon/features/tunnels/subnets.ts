// Which tunnel leads to an address: the one of whose subnets the longest holds it, as the kernel's routing has it.
import { enclosingNetwork, formatCidr, parseIp, type Family } from '@panel/shared/address/ip.ts'
import { addressNetworks } from '@panel/shared/tunnel/networks.ts'
import type { ExistingTunnel } from './store.ts'

type Owner = Pick<ExistingTunnel, 'tunnel_id' | 'addresses'>

/** Returns the tunnel_id for an address; null where no tunnel has it in a subnet. */
export function tunnelBySubnet(tunnels: readonly Owner[]): (address: string) => number | null {
  const owners = new Map<string, number>()
  const lengths: Record<Family, Set<number>> = { 4: new Set(), 6: new Set() }
  for (const { tunnel_id, addresses } of tunnels)
    for (const network of addressNetworks(addresses)) {
      owners.set(formatCidr(network), tunnel_id)
      lengths[network.base.family].add(network.prefix_length)
    }
  const longestFirst = { 4: descending(lengths[4]), 6: descending(lengths[6]) }
  return (address) => {
    const ip = parseIp(address)
    if (!ip) return null
    const networks = longestFirst[ip.family].map((length) => formatCidr(enclosingNetwork(ip, length)))
    return owners.get(networks.find((network) => owners.has(network)) ?? '') ?? null
  }
}

const descending = (lengths: ReadonlySet<number>): number[] => [...lengths].sort((a, b) => b - a)
