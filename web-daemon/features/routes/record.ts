// A relay rule as the panel stores it: what the operator wants, and whether it was applied. What the host holds is
// never mixed in.
import type { Family } from '@panel/shared/address/ip.ts'
import { ADDRESS_FAMILIES, LOAD_BALANCE_MODES, NAT_MODES, ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import type { RouteRecord } from '@panel/shared/api/routes/fields.ts'
import { canonicalRule } from '@panel/shared/ruleset/canonical.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'

/** What follows from the destinations is made when it is sent. */
export type { RouteRecord }
export type DestinationRecord = RouteRecord['destinations'][number]
export type SourceRecord = RouteRecord['allowed_sources'][number]

export type NewDestination = Omit<DestinationRecord, 'route_destination_id'>
export type NewSource = Omit<SourceRecord, 'route_allowed_source_id'>
/** Before it has an id. */
export type NewRoute = Omit<RouteRecord, 'route_rule_id' | 'destinations' | 'allowed_sources'> & {
  destinations: NewDestination[]
  allowed_sources: NewSource[]
}

/** With the id under which the kernel shall know it. */
export type NamedRoute = NewRoute & { readonly route_rule_id: number }

const PROTOCOLS: Readonly<Record<number, RelayRule['protocol']>> = {
  [ROUTE_PROTOCOLS.TCP]: 'tcp',
  [ROUTE_PROTOCOLS.UDP]: 'udp',
  [ROUTE_PROTOCOLS.Both]: 'both',
}
const NAT_MODE_NAMES: Readonly<Record<number, RelayRule['nat_mode']>> = {
  [NAT_MODES.Masquerade]: 'masquerade',
  [NAT_MODES.Snat]: 'snat',
  [NAT_MODES.None]: 'none',
}
const BALANCE_MODE_NAMES: Readonly<Record<number, RelayRule['balance']>> = {
  [LOAD_BALANCE_MODES.None]: 'none',
  [LOAD_BALANCE_MODES.RoundRobin]: 'round_robin',
  [LOAD_BALANCE_MODES.SourceHash]: 'source_hash',
  [LOAD_BALANCE_MODES.Weighted]: 'weighted',
}

export const protocolOf = (route_protocol_id: number): RelayRule['protocol'] => nameOf(PROTOCOLS, route_protocol_id)

function nameOf<T>(names: Readonly<Record<number, T>>, id: number): T {
  const found = names[id]
  if (found === undefined) throw new RangeError(`lookup id ${id}`)
  return found
}

export const familyOf = ({ address_family_id }: Pick<RouteRecord, 'address_family_id'>): Family =>
  address_family_id === ADDRESS_FAMILIES.IPv6 ? 6 : 4

/** A destination that gets new connections. */
export const isActive = ({ is_enabled, weight }: Pick<DestinationRecord, 'is_enabled' | 'weight'>): boolean =>
  is_enabled && weight > 0

/**
 * What the kernel shall hold for a record, in canonical form; null where that is nothing, as with a rule that is
 * disabled.
 */
export function ruleOf(record: NamedRoute): RelayRule | null {
  if (!record.is_enabled) return null
  return canonicalRule({
    route_rule_id: record.route_rule_id,
    sort_order: record.sort_order,
    protocol: protocolOf(record.route_protocol_id),
    bind_address: record.bind_address,
    bind_port: record.bind_port,
    bind_port_range_end: record.bind_port_range_end,
    bind_interface: record.bind_interface,
    destinations: record.destinations
      .filter(isActive)
      .map(({ address, port, port_range_end, weight }) => ({ address, port, port_range_end, weight })),
    balance: nameOf(BALANCE_MODE_NAMES, record.load_balance_mode_id),
    nat_mode: nameOf(NAT_MODE_NAMES, record.nat_mode_id),
    snat_address: record.snat_address,
    allowed_sources: record.allowed_sources.map(({ cidr }) => cidr),
    is_clamp_mss_to_pmtu: record.is_clamp_mss_to_pmtu,
    is_include_local_originated: record.is_include_local_originated,
    is_logging_enabled: record.is_logging_enabled,
    fwmark: record.fwmark,
    max_connections_per_source: record.max_connections_per_source,
    connection_rate_limit: record.connection_rate_limit,
  })
}
