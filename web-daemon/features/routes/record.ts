// A relay rule as the panel stores it: what the operator wants, and whether it was applied. What the host holds is
// never mixed in.
import type { Family } from '@panel/shared/address/ip.ts'
import { ADDRESS_FAMILIES, LOAD_BALANCE_MODES, NAT_MODES, ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import type { RouteRecord } from '@panel/shared/api/routes/fields.ts'
import { canonicalRule } from '@panel/shared/ruleset/canonical.ts'
import type { RelayDestination, RelayRule } from '@panel/shared/ruleset/model.ts'

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

/** A rule with the id under which the kernel shall know it. */
export type NamedRoute = NewRoute & { readonly route_rule_id: number }

/** A draft with the ids of what it keeps of the stored rule; what is new has the id 0. */
export const withStoredIds = (draft: NamedRoute, stored: RouteRecord | null): RouteRecord => ({
  ...draft,
  destinations: draft.destinations.map((one) => {
    const kept = stored?.destinations.find((other) => identityOf(other) === identityOf(one))
    return { ...one, route_destination_id: kept?.route_destination_id ?? 0 }
  }),
  allowed_sources: draft.allowed_sources.map((one) => ({ ...one, route_allowed_source_id: 0 })),
})

export type Identified = Pick<DestinationRecord, 'address' | 'port' | 'hostname' | 'hostname_policy'>

/** What a destination is known by: one that is the chosen address of a name stays the same when that changes. */
export const identityOf = ({ address, port, hostname, hostname_policy }: Identified): string =>
  `${hostname !== null && (hostname_policy === 'first' || address === '') ? hostname : address} ${port}`

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

/** A destination that gets new connections, or would. */
export const isActive = ({ is_enabled, weight }: Pick<DestinationRecord, 'is_enabled' | 'weight'>): boolean =>
  is_enabled && weight > 0

/** Whether a destination is in force. The address of a hostname that has never been resolved is not known. */
const isInForce = (one: NewDestination): boolean => isActive(one) && one.address !== ''
export const isUnresolved = (one: NewDestination): boolean => isActive(one) && one.address === ''

type Rotated = Pick<DestinationRecord, 'is_backup' | 'state' | 'drained_until'>

/** What is stored of a destination decides it, and never the time: a drain ends by a change of its own. */
export const rotationOf = ({ is_backup, state, drained_until }: Rotated): RelayDestination['rotation'] =>
  state === 'down' || drained_until !== null ? 'out' : is_backup ? 'standby' : 'in'

/** Whether no destination is to have new connections, so that the host refuses them. */
const isClosed = ({ check }: NamedRoute, inForce: readonly NewDestination[]): boolean =>
  check !== null &&
  check.is_enabled &&
  check.on_all_down === 'refuse' &&
  inForce.every((one) => rotationOf(one) === 'out')

const rulesOf = new WeakMap<NamedRoute, { readonly rule: RelayRule | null }>()

/**
 * What the kernel shall hold for a record, in canonical form; null where that is nothing, as with a rule that is
 * disabled, or has no destination but hostnames that were never resolved. Made once for each record, since none is ever
 * changed in place.
 */
export function ruleOf(record: NamedRoute): RelayRule | null {
  let made = rulesOf.get(record)
  if (!made) rulesOf.set(record, (made = { rule: makeRule(record) }))
  return made.rule
}

function makeRule(record: NamedRoute): RelayRule | null {
  const inForce = record.destinations.filter(isInForce)
  if (!record.is_enabled || inForce.length === 0) return null
  return canonicalRule({
    route_rule_id: record.route_rule_id,
    sort_order: record.sort_order,
    protocol: protocolOf(record.route_protocol_id),
    bind_address: record.bind_address,
    bind_port: record.bind_port,
    bind_port_range_end: record.bind_port_range_end,
    bind_interface: record.bind_interface,
    destinations: inForce.map((one) => ({
      address: one.address,
      port: one.port,
      port_range_end: one.port_range_end,
      weight: one.weight,
      is_backup: one.is_backup,
      rotation: rotationOf(one),
    })),
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
    is_closed: isClosed(record, inForce),
    is_fast_path: record.fast_path_state === 'on',
  })
}

/** Whether destinations of it go out of rotation: by its checks, or by hand. */
export const isRotated = ({ check, destinations }: NamedRoute): boolean =>
  check?.is_enabled === true || destinations.some(({ drained_until }) => drained_until !== null)
