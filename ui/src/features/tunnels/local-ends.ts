// Which addresses of this host a tunnel may begin at, the likeliest first.
import type { InterfacesAnswer } from '@panel/shared/api/system.ts'

type Family = 'ipv4' | 'ipv6'

export interface LocalEnd {
  readonly address: string
  /** The interface that has it. */
  readonly name: string
}

/** What the other end or else the type of the tunnel says; without a word it is IPv4. */
export const familyOf = ({ remote_endpoint, tunnel_type_id = null }: { remote_endpoint: string; tunnel_type_id?: number | null }): Family => {
  const remote = remote_endpoint.trim()
  if (remote !== '') return remote.includes(':') ? 'ipv6' : 'ipv4'
  return tunnel_type_id === 30 || tunnel_type_id === 40 ? 'ipv6' : 'ipv4'
}

/** Those that packets from elsewhere can reach: public ones before private ones, of network cards before those of bridges. */
export const localEnds = (interfaces: InterfacesAnswer['interfaces'], family: Family): LocalEnd[] =>
  interfaces
    .filter((link) => link.is_up && link.class !== 'loopback' && link.class !== 'tunnel')
    .flatMap(({ name, class: kind, addresses }) => addresses.map((spelled) => ({ name, address: spelled.replace(/\/.*/, ''), rank: kind === 'physical' ? 0 : 1 })))
    .filter(({ address }) => (address.includes(':') ? 'ipv6' : 'ipv4') === family && !/^(fe[89ab].:|169\.254\.)/i.test(address))
    .sort((a, b) => Number(isPrivate(a.address)) - Number(isPrivate(b.address)) || a.rank - b.rank)
    .map(({ address, name }) => ({ address, name }))

/** RFC 1918, RFC 6598 and RFC 4193. */
const isPrivate = (address: string): boolean => /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|f[cd])/i.test(address)
