// What may carry out relay rules on a host, what each of them is able to, and which rules it must refuse.
import { familyOf } from './canonical.ts'
import { line, strict, stringEnum, Type, type Static } from '../schema.ts'
import type { RelayRule } from './model.ts'

export const RULE_BACKENDS = ['nftables', 'iptables_nft', 'iptables_legacy', 'none'] as const
export type RuleBackend = (typeof RULE_BACKENDS)[number]

/** The choice that the helper made at its start, and why; reporting it starts nothing. */
export const RuleBackendFound = strict({
  active: stringEnum(RULE_BACKENDS),
  has_ipv6: Type.Boolean(),
  reason: line(300),
})
export type RuleBackendFound = Static<typeof RuleBackendFound>

/** What a backend may have bounds for that nftables does not have. */
type LimitedField = 'bind_address' | 'connection_rate_limit' | 'destinations' | 'max_connections_per_source'

export interface RuleLimit {
  readonly field: LimitedField
  readonly why: string
}

/** xt_cluster deals out to so many. */
const HASHED_MAX = 32
/**
 * Above it hashlimit, which keeps the time between two packets in millionths of a second, is more than one in a hundred
 * off.
 */
const RATE_MAX = 10_000

type Limit = readonly [field: LimitedField, isBeyond: (rule: RelayRule) => boolean, why: string]

const IPTABLES: readonly Limit[] = [
  [
    'destinations',
    (rule) => rule.balance === 'source_hash' && rule.destinations.length > HASHED_MAX,
    `iptables deals out by source among ${HASHED_MAX} destinations at most`,
  ],
  [
    'connection_rate_limit',
    (rule) => (rule.connection_rate_limit ?? 0) > RATE_MAX,
    `iptables limits to ${RATE_MAX} new connections a second at most`,
  ],
]

/**
 * Each change of any rule reloads the whole table of iptables-legacy, and connlimit then has forgotten all connections.
 */
const LEGACY: readonly Limit[] = [
  [
    'max_connections_per_source',
    (rule) => rule.max_connections_per_source !== null,
    'iptables-legacy forgets who is connected whenever anybody changes a rule',
  ],
]

const LIMITS: Readonly<Record<RuleBackend, readonly Limit[]>> = {
  nftables: [],
  iptables_nft: IPTABLES,
  iptables_legacy: [...IPTABLES, ...LEGACY],
  none: [],
}

const NO_IPV6: Limit = ['bind_address', (rule) => familyOf(rule) === 6, 'ip6tables does not work on this host']

/** Empty where the backend does exactly what the canonical rule says. */
export const ruleLimits = (
  { active, has_ipv6 }: Pick<RuleBackendFound, 'active' | 'has_ipv6'>,
  rule: RelayRule,
): RuleLimit[] =>
  [...LIMITS[active], ...(has_ipv6 ? [] : [NO_IPV6])]
    .filter(([, isBeyond]) => isBeyond(rule))
    .map(([field, , why]) => ({ field, why }))

/** Why a feature is missing, or has bounds that nftables does not have. */
export function featureNotes({ active, has_ipv6 }: Pick<RuleBackendFound, 'active' | 'has_ipv6'>): string {
  const named =
    active === 'nftables' || active === 'none' ? [] : ['iptables counts in lines of chains, which have no names']
  return [...LIMITS[active], ...(has_ipv6 || active === 'none' ? [] : [NO_IPV6])]
    .map(([, , why]) => why)
    .concat(named)
    .join('; ')
}

/** In the words of GET /system/capabilities. */
export function ruleFeatures({
  active,
  has_ipv6,
}: Pick<RuleBackendFound, 'active' | 'has_ipv6'>): Record<string, boolean> {
  const is = active !== 'none'
  return {
    ipv6: is && has_ipv6,
    mss_clamp: is,
    named_counters: active === 'nftables',
    port_ranges: is,
    load_balance_round_robin: is,
    load_balance_source_hash: is,
    load_balance_weighted: is,
    connection_limits: is && active !== 'iptables_legacy',
    connection_rate_limits: is,
    logging: is,
    fwmark: is,
  }
}
