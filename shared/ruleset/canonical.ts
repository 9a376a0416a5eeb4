// One spelling for each relay rule, so that two descriptions of the same host compare equal as text.
import {
  bitsOf,
  canonicalIp,
  compareIp,
  formatCidr,
  parseCidr,
  parseIp,
  type Cidr,
  contains,
  type Family,
} from '../address/ip.ts'
import { fastPathOf } from './fast-path.ts'
import type { RelayDestination, RelayRule, RulesetState } from './model.ts'

export const familyOf = (rule: { readonly bind_address: string }): Family => (rule.bind_address.includes(':') ? 6 : 4)
export const isWildcard = (address: string): boolean => address === '0.0.0.0' || address === '::'

/**
 * In the order in which they are met. Throws a RangeError where a rule is none: families that differ, ranges of unequal
 * width, no destination.
 */
export function canonicalRuleset(rules: readonly RelayRule[]): RulesetState {
  const canonical = rules.map(canonicalRule).sort(inOrder)
  const ids = new Set<number>()
  for (const { route_rule_id } of canonical) {
    if (ids.has(route_rule_id)) throw new RangeError(`Rule ${route_rule_id} is named twice`)
    ids.add(route_rule_id)
  }
  return canonical
}

export const inOrder = (a: RelayRule, b: RelayRule): number =>
  a.sort_order - b.sort_order || a.route_rule_id - b.route_rule_id

export function canonicalRule(rule: RelayRule): RelayRule {
  const bind_address = canonicalIp(rule.bind_address)
  const family = familyOf({ bind_address })
  const bind_port_range_end = rule.bind_port_range_end === rule.bind_port ? null : rule.bind_port_range_end
  const width = (bind_port_range_end ?? rule.bind_port) - rule.bind_port
  if (width < 0) throw new RangeError(`Rule ${rule.route_rule_id}: the range of bound ports ends before it begins`)
  const { balance, primaries, backups } = chosenDestinations(rule)
  return {
    route_rule_id: rule.route_rule_id,
    sort_order: rule.sort_order,
    protocol: rule.protocol,
    bind_address,
    bind_port: rule.bind_port,
    bind_port_range_end,
    bind_interface: rule.bind_interface,
    destinations: [...primaries, ...backups].map((destination) =>
      canonicalDestination(rule, destination, family, width, balance === 'weighted'),
    ),
    balance,
    nat_mode: rule.nat_mode,
    snat_address: snatAddress(rule, family),
    allowed_sources: canonicalSources(rule, family),
    is_clamp_mss_to_pmtu: rule.is_clamp_mss_to_pmtu && rule.protocol !== 'udp',
    is_include_local_originated: rule.is_include_local_originated,
    is_logging_enabled: rule.is_logging_enabled,
    fwmark: rule.fwmark,
    max_connections_per_source: rule.max_connections_per_source,
    connection_rate_limit: rule.connection_rate_limit,
    is_closed: rule.is_closed,
    ...fastPathOf(rule),
  }
}

interface Chosen {
  readonly balance: RelayRule['balance']
  readonly primaries: readonly RelayDestination[]
  readonly backups: readonly RelayDestination[]
}

/**
 * Backups stand behind the others. Without balancing everything goes to the first destination that is none, so the host
 * holds no other but the backups. Where all are backups, none is.
 */
function chosenDestinations({ route_rule_id, balance, destinations }: RelayRule): Chosen {
  const isBackup = ({ is_backup, rotation }: RelayDestination): boolean => is_backup || rotation === 'standby'
  const areAll = destinations.every(isBackup)
  const others = destinations.filter((one) => areAll || !isBackup(one))
  const primaries = (balance === 'none' ? others.slice(0, 1) : others).map((one) => ({ ...one, is_backup: false }))
  if (primaries.length === 0) throw new RangeError(`Rule ${route_rule_id} has no destination`)
  const backups = areAll ? [] : destinations.filter(isBackup).map((one) => ({ ...one, is_backup: true }))
  return { balance: primaries.length === 1 ? 'none' : balance, primaries, backups }
}

/** A range of bound ports maps to a range of equal width, whether its end is given or not. */
function canonicalDestination(
  rule: RelayRule,
  { address, port, port_range_end, weight, is_backup, rotation }: RelayDestination,
  family: Family,
  width: number,
  isWeighted: boolean,
): RelayDestination {
  const end = port + width
  if (port_range_end !== null && port_range_end !== end)
    throw new RangeError(`Rule ${rule.route_rule_id}: the ports of ${address} are not as many as those bound`)
  if (end > 65_535) throw new RangeError(`Rule ${rule.route_rule_id}: the ports of ${address} would go past 65535`)
  return {
    address: checkFamily(rule, address, family),
    port,
    port_range_end: width === 0 ? null : end,
    // Backups have equal shares of what the others leave.
    weight: isWeighted && !is_backup ? weight : 1,
    is_backup,
    rotation: rule.is_closed || rotation === 'out' ? 'out' : is_backup ? 'standby' : 'in',
  }
}

function checkFamily(rule: RelayRule, text: string, family: Family): string {
  const ip = canonicalIp(text)
  if (familyOf({ bind_address: ip }) !== family)
    throw new RangeError(`Rule ${rule.route_rule_id}: ${ip} is not an IPv${family} address, as the bind address is`)
  return ip
}

function snatAddress(rule: RelayRule, family: Family): string | null {
  if (rule.nat_mode !== 'snat') return null
  if (rule.snat_address === null) throw new RangeError(`Rule ${rule.route_rule_id}: SNAT needs an address`)
  return checkFamily(rule, rule.snat_address, family)
}

/** Sorted. A network within another is dropped; "every source" is the empty list. */
function canonicalSources(rule: RelayRule, family: Family): string[] {
  const networks = rule.allowed_sources.map((text) => network(rule, text, family))
  if (networks.some(({ prefix_length }) => prefix_length === 0)) return []
  const wideFirst = [...networks].sort((a, b) => a.prefix_length - b.prefix_length)
  const kept: Cidr[] = []
  for (const one of wideFirst) if (!kept.some((other) => contains(other, one.base))) kept.push(one)
  return kept.sort((a, b) => compareIp(a.base, b.base)).map(formatCidr)
}

function network(rule: RelayRule, text: string, family: Family): Cidr {
  const cidr = parseCidr(text)
  if (!cidr || cidr.base.family !== family || cidr.prefix_length > bitsOf(family) || !parseIp(text.split('/')[0] ?? ''))
    throw new RangeError(`Rule ${rule.route_rule_id}: ${text} is not a network of IPv${family}`)
  return cidr
}
