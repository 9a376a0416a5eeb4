// The networks that addresses add to the routing table.
import { bitsOf, enclosingNetwork, parseIp, type Cidr } from '../address/ip.ts'
import type { TunnelAddress } from './model.ts'

/**
 * The networks of the addresses. If there is a peer, the prefix belongs to the peer and the own address is a host
 * route.
 */
export function addressNetworks(addresses: readonly TunnelAddress[]): Cidr[] {
  return addresses.flatMap(({ address, peer_address, prefix_length }) => {
    const own = parseIp(address)
    const peer = parseIp(peer_address)
    if (!own) return []
    if (!peer) return [enclosingNetwork(own, prefix_length)]
    const beyond = enclosingNetwork(peer, prefix_length)
    return enclosingNetwork(own, prefix_length).base.value === beyond.base.value
      ? [beyond]
      : [beyond, enclosingNetwork(own, bitsOf(own.family))]
  })
}

export function formatAddresses(addresses: readonly TunnelAddress[]): string {
  return addresses.map((a) => `${a.address}/${a.prefix_length}`).join(', ')
}
