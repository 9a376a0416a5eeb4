// Relay rules as a host holds them: what a packet meets, without titles and notes. Only enabled rules are here.
import { integer, nullable, strict, stringEnum, Type, U32_MAX, type Static } from '../schema.ts'
import { CidrText } from '../tunnel/observed.ts'
import { IpText } from '../tunnel/model.ts'

/** A ct mark holds the nibble 0x5, 20 bits of rule id and 8 bits of destination slot (decisions.md, F26). */
export const ROUTE_RULE_ID_MAX = 0xf_ffff
export const RELAY_PROTOCOLS = ['tcp', 'udp', 'both'] as const
export const NAT_MODES = ['masquerade', 'snat', 'none'] as const
export const BALANCES = ['none', 'round_robin', 'source_hash', 'weighted'] as const
export const ROTATIONS = ['in', 'out', 'standby'] as const

export const RuleId = integer(1, ROUTE_RULE_ID_MAX)
const Port = integer(1, 65_535)
/** Quoted in a ruleset, where a quote would end the name and a last asterisk would make it many. */
export const BindInterface = Type.String({ pattern: '^[A-Za-z0-9_.:@-]{1,15}$' })

/**
 * An enabled destination. `port_range_end` null: one port, which is where a range of bound ports begins (1:1, shifted).
 */
export const RelayDestination = strict({
  address: IpText,
  port: Port,
  port_range_end: nullable(Port),
  /** Share of new connections among the rule's destinations; 1 wherever the balance is not weighted. */
  weight: integer(1, 1000),
  /** Gets new connections while no other destination is in rotation, and no share of them otherwise. */
  is_backup: Type.Boolean(),
  /** A backup is on standby or out, every other destination is in or out. */
  rotation: stringEnum(ROTATIONS),
})
export type RelayDestination = Static<typeof RelayDestination>

/** The fields of a destination that is never taken out. */
export const IN_ROTATION = { is_backup: false, rotation: 'in' } as const

/**
 * One rule. Where two match the same packet, the first in (`sort_order`, `route_rule_id`) owns the flow. `bind_address`
 * 0.0.0.0 or :: is every address of the host; the family of a rule is that of its `bind_address`. Without balancing the
 * first destination gets every connection, or else a backup. `connection_rate_limit` counts new connections a second
 * for the whole rule, `max_connections_per_source` those open at once.
 */
export const RelayRule = strict({
  route_rule_id: RuleId,
  sort_order: integer(0, U32_MAX),
  protocol: stringEnum(RELAY_PROTOCOLS),
  bind_address: IpText,
  bind_port: Port,
  bind_port_range_end: nullable(Port),
  bind_interface: nullable(BindInterface),
  destinations: Type.Array(RelayDestination, { minItems: 1, maxItems: 64 }),
  balance: stringEnum(BALANCES),
  nat_mode: stringEnum(NAT_MODES),
  snat_address: nullable(IpText),
  allowed_sources: Type.Array(CidrText, { maxItems: 256 }),
  is_clamp_mss_to_pmtu: Type.Boolean(),
  is_include_local_originated: Type.Boolean(),
  is_logging_enabled: Type.Boolean(),
  fwmark: nullable(integer(1, U32_MAX)),
  max_connections_per_source: nullable(integer(1, 1_000_000)),
  connection_rate_limit: nullable(integer(1, 1_000_000)),
  /** No destination is to have new connections: the host itself refuses them. Nobody is in rotation then. */
  is_closed: Type.Boolean(),
  /** Whether its new connections take the fast path (fast-path.ts); absent if they do not. */
  is_fast_path: Type.Optional(Type.Boolean()),
})
export type RelayRule = Static<typeof RelayRule>

/**
 * The rules that a change names, or all that a host holds; null in its place means none. A change names at most this
 * many at once.
 */
export const RULES_PER_CHANGE_MAX = 2000
export const RulesetState = Type.Array(RelayRule, { minItems: 1, maxItems: RULES_PER_CHANGE_MAX })
export type RulesetState = Static<typeof RulesetState>

const Counts = {
  tx_bytes: Type.Integer({ minimum: 0 }),
  tx_packets: Type.Integer({ minimum: 0 }),
  rx_bytes: Type.Integer({ minimum: 0 }),
  rx_packets: Type.Integer({ minimum: 0 }),
}

/**
 * Since the counters were made: `tx` towards the destination, `rx` back from it. `twice`: of flows of the fast path
 * what the chains saw of them, which connection tracking counts too.
 */
export const RelayCounters = strict({
  route_rule_id: RuleId,
  ...Counts,
  twice: Type.Optional(strict(Counts)),
})
export type RelayCounters = Static<typeof RelayCounters>
