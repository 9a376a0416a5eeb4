// Ranges of ports and the addresses before them: where two of them meet.
import { isWildcard } from '@panel/shared/ruleset/canonical.ts'

export interface Ports {
  readonly first: number
  readonly last: number
}

export const portsOf = (first: number, end: number | null | undefined): Ports => ({ first, last: end ?? first })
export const isSame = (a: Ports, b: Ports): boolean => a.first === b.first && a.last === b.last
export const has = ({ first, last }: Ports, port: number): boolean => first <= port && port <= last

/** Both of one family, in canonical spelling. */
export const isAddressMet = (a: string, b: string): boolean => a === b || isWildcard(a) || isWildcard(b)

export const spelledPorts = ({ first, last }: Ports): string => (first === last ? String(first) : `${first}-${last}`)
export const spelledEnd = (address: string, ports: Ports): string =>
  `${address.includes(':') ? `[${address}]` : address}:${spelledPorts(ports)}`
