// Whether two records of rules can match the same connection, and which of them then gets it (decisions.md, F7, F10).
import { isOverlapping as isMet, type Listens } from '@panel/shared/ruleset/overlap.ts'
import { protocolOf, type NamedRoute } from './record.ts'
import { isSame, portsOf } from './ports.ts'

export { winnerOf } from '@panel/shared/ruleset/overlap.ts'

type Record = Pick<
  NamedRoute,
  'route_protocol_id' | 'bind_address' | 'bind_port' | 'bind_port_range_end' | 'bind_interface'
> & {
  readonly allowed_sources: readonly { readonly cidr: string }[]
}

const asListens = ({ route_protocol_id, allowed_sources, ...rest }: Record): Listens => ({
  ...rest,
  protocol: protocolOf(route_protocol_id),
  allowed_sources: allowed_sources.map(({ cidr }) => cidr),
})

export const isOverlapping = (a: Record, b: Record): boolean => isMet(asListens(a), asListens(b))

/** Nothing tells the two apart: the second could never match. */
export function isIdentical(a: Record, b: Record): boolean {
  const sourcesOf = ({ allowed_sources }: Record): string =>
    allowed_sources
      .map(({ cidr }) => cidr)
      .sort()
      .join(' ')
  return (
    a.route_protocol_id === b.route_protocol_id &&
    a.bind_address === b.bind_address &&
    a.bind_interface === b.bind_interface &&
    isSame(portsOf(a.bind_port, a.bind_port_range_end), portsOf(b.bind_port, b.bind_port_range_end)) &&
    sourcesOf(a) === sourcesOf(b)
  )
}
