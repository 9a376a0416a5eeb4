// Whether two rules can match the same connection, and which of them then gets it (decisions.md, F7, F10).
import { overlaps, parseCidr } from '@panel/shared/address/ip.ts'
import { ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import type { NamedRoute } from './record.ts'
import { isAddressMet, isMet, isSame, portsOf } from './ports.ts'

type Listens = Pick<
  NamedRoute,
  'route_protocol_id' | 'address_family_id' | 'bind_address' | 'bind_port' | 'bind_port_range_end' | 'bind_interface'
> & {
  readonly allowed_sources: readonly { readonly cidr: string }[]
}
type Placed = Pick<NamedRoute, 'route_rule_id' | 'sort_order'>

/** Of two that match, the one that stands first. */
export const winnerOf = <R extends Placed>(a: R, b: R): R =>
  (a.sort_order - b.sort_order || a.route_rule_id - b.route_rule_id) < 0 ? a : b

/** Nothing tells the two apart: the second could never match. */
export function isIdentical(a: Listens, b: Listens): boolean {
  const sourcesOf = ({ allowed_sources }: Listens): string =>
    allowed_sources
      .map(({ cidr }) => cidr)
      .sort()
      .join(' ')
  return (
    a.route_protocol_id === b.route_protocol_id &&
    a.bind_address === b.bind_address &&
    a.bind_interface === b.bind_interface &&
    isSame(boundOf(a), boundOf(b)) &&
    sourcesOf(a) === sourcesOf(b)
  )
}

export function isOverlapping(a: Listens, b: Listens): boolean {
  return (
    a.address_family_id === b.address_family_id &&
    isProtocolMet(a.route_protocol_id, b.route_protocol_id) &&
    isMet(boundOf(a), boundOf(b)) &&
    isAddressMet(a.bind_address, b.bind_address) &&
    (a.bind_interface === null || b.bind_interface === null || a.bind_interface === b.bind_interface) &&
    isSourceMet(a, b)
  )
}

const boundOf = ({ bind_port, bind_port_range_end }: Listens) => portsOf(bind_port, bind_port_range_end)

const isProtocolMet = (a: number, b: number): boolean =>
  a === b || a === ROUTE_PROTOCOLS.Both || b === ROUTE_PROTOCOLS.Both

/** An empty list is everybody. */
function isSourceMet(a: Listens, b: Listens): boolean {
  if (a.allowed_sources.length === 0 || b.allowed_sources.length === 0) return true
  const [ours, theirs] = [a, b].map(({ allowed_sources }) =>
    allowed_sources.flatMap(({ cidr }) => parseCidr(cidr) ?? []),
  )
  return (ours ?? []).some((one) => (theirs ?? []).some((other) => overlaps(one, other)))
}
