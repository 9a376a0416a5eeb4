// The address of the other end inside a tunnel, as far as this end's own addresses say it.
import { compareIp, formatIp, enclosingNetwork, parseIp, networkSize, type Ip } from '../address/ip.ts'
import type { TunnelAddress } from './model.ts'

/**
 * In the order of the addresses. Without a peer address, the far end is known only where the subnet has room for
 * exactly two hosts.
 */
export const farEnds = (addresses: readonly TunnelAddress[]): string[] =>
  addresses.flatMap((a) => (a.peer_address === '' ? otherHost(a) : [a.peer_address]))

function otherHost({ address, prefix_length }: TunnelAddress): string[] {
  const own = parseIp(address)
  if (!own) return []
  const network = enclosingNetwork(own, prefix_length)
  const size = networkSize(network)
  // The first and the last address of a subnet of four are those of the subnet itself.
  const first = size === 2n ? 0n : size === 4n ? 1n : null
  if (first === null) return []
  const hosts: Ip[] = [first, first + 1n].map((at) => ({ family: own.family, value: network.base.value + at }))
  return hosts.some((host) => compareIp(host, own) === 0)
    ? hosts.filter((host) => compareIp(host, own) !== 0).map(formatIp)
    : []
}
