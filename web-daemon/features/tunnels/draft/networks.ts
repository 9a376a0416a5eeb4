// The networks that addresses add to the routing table.
import { bitsOf, networkOf, parseIp, type Cidr } from '@panel/shared/address/ip.ts'
import type { TunnelAddress } from '@panel/shared/tunnel/model.ts'

/** With a peer, the prefix belongs to the peer and the own address is a host route. */
export function networksOf(addresses: readonly TunnelAddress[]): Cidr[] {
  return addresses.flatMap(({ address, peer_address, prefix_length }) => {
    const own = parseIp(address)
    const peer = parseIp(peer_address)
    if (!own) return []
    if (!peer) return [networkOf(own, prefix_length)]
    const beyond = networkOf(peer, prefix_length)
    return networkOf(own, prefix_length).base.value === beyond.base.value
      ? [beyond]
      : [beyond, networkOf(own, bitsOf(own.family))]
  })
}

export function addressesOf(addresses: readonly TunnelAddress[]): string {
  return addresses.map((a) => `${a.address}/${a.prefix_length}`).join(', ')
}
