// Local addresses for a tunnel, the likeliest first.
import type { InterfacesAnswer } from '@panel/shared/api/system.ts'

export interface LocalEndpoint {
  readonly address: string
  /** The interface that has it. */
  readonly name: string
}

/** Reachable from outside: public before private, network cards before bridges. */
export const localEndpoints = (interfaces: InterfacesAnswer['interfaces'], family: 4 | 6): LocalEndpoint[] =>
  interfaces
    .filter((link) => link.is_up && link.class !== 'loopback' && link.class !== 'tunnel')
    .flatMap(({ name, class: kind, addresses }) =>
      addresses.map((cidr) => ({ name, address: cidr.replace(/\/.*/, ''), rank: kind === 'physical' ? 0 : 1 })),
    )
    .filter(({ address }) => (address.includes(':') ? 6 : 4) === family && !/^(fe[89ab].:|169\.254\.)/i.test(address))
    .sort((a, b) => Number(isPrivate(a.address)) - Number(isPrivate(b.address)) || a.rank - b.rank)
    .map(({ address, name }) => ({ address, name }))

/** RFC 1918, RFC 6598 and RFC 4193. */
const isPrivate = (address: string): boolean =>
  /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|f[cd])/i.test(address)
