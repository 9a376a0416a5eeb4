// The address that a connection comes from, and the network that limits count as one client.
import { BlockList, isIP } from 'node:net'

/** A dual-stack socket shows IPv4 as IPv4-mapped IPv6. */
export function plainAddress(remoteAddress: string): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/, '')
}

/** One IPv6 host has a whole /64 of addresses. */
export function clientNetwork(address: string): string {
  return address.includes(':') ? prefix64(address) : address
}

/** Whether an address is in a list of addresses and networks. */
export function networkList(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', length] = network.split('/')
    const family = familyOf(address)
    list.addSubnet(address, length === undefined ? (family === 'ipv4' ? 32 : 128) : Number(length), family)
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address))
}

/** Whether it is no address or network that a list can hold. */
export function networkProblem(network: string): boolean {
  const [address = '', length, more] = network.split('/')
  if (isIP(address) === 0 || more !== undefined) return true
  return length !== undefined && !(/^\d{1,3}$/.test(length) && Number(length) <= (isIP(address) === 4 ? 32 : 128))
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (address.includes(':') ? 'ipv6' : 'ipv4')

const prefix64 = (address: string): string => {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter((group) => group !== '').length
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ?? '').split(':')]
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group || '0', 16).toString(16))
    .join(':')
}
