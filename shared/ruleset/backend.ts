// What may carry out relay rules on a host, what each of them is able to, and which rules it must refuse.
import { familyOf } from './canonical.ts'
import { message, verbatim, type Message } from '../messages/message.ts'
import { line, strict, stringEnum, Type, type Static } from '../schema.ts'
import type { RelayRule } from './model.ts'
import { drawnSlots } from './slots.ts'

export const RULE_BACKENDS = ['nftables', 'iptables_nft', 'iptables_legacy', 'none'] as const
export type RuleBackend = (typeof RULE_BACKENDS)[number]
export type IptablesBackend = Extract<RuleBackend, `iptables_${string}`>

/**
 * The choice that the helper made at its start, and why; reporting it starts nothing. `trouble` says why no change of
 * relay rules begins, "" if one can. `leftovers` are other backends that hold something of the panel.
 */
export const RuleBackendFound = strict({
  active: stringEnum(RULE_BACKENDS),
  has_ipv6: Type.Boolean(),
  reason: line(300),
  trouble: line(600),
  leftovers: Type.Array(stringEnum(RULE_BACKENDS), { maxItems: RULE_BACKENDS.length }),
})
export type RuleBackendFound = Static<typeof RuleBackendFound>

/** What a backend may have bounds for that nftables does not have. */
type LimitedField =
  | 'is_fast_path'
  | 'bind_address'
  | 'connection_rate_limit'
  | 'destinations'
  | 'max_connections_per_source'

export interface RuleLimit {
  readonly field: LimitedField
  readonly why: Message
}

/** xt_cluster deals out to so many. */
const HASHED_MAX = 32
/**
 * Above it hashlimit, which keeps the time between two packets in millionths of a second, is more than one in a hundred
 * off.
 */
const RATE_MAX = 10_000

type Limit = readonly [field: LimitedField, isBeyond: (rule: RelayRule) => boolean, why: Message]

const IPTABLES: readonly Limit[] = [
  ['is_fast_path', (rule) => rule.is_fast_path === true, message('root.fast_path_backend')],
  [
    'destinations',
    (rule) => rule.balance === 'source_hash' && drawnSlots(rule) > HASHED_MAX,
    message('root.limit_hashed', { count: HASHED_MAX }),
  ],
  [
    'connection_rate_limit',
    (rule) => (rule.connection_rate_limit ?? 0) > RATE_MAX,
    message('root.limit_rate', { count: RATE_MAX }),
  ],
]

/**
 * Each change of any rule reloads the whole table of iptables-legacy, and connlimit then has forgotten all connections.
 */
const LEGACY: readonly Limit[] = [
  ['max_connections_per_source', (rule) => rule.max_connections_per_source !== null, message('root.limit_forgets')],
]

const LIMITS: Readonly<Record<RuleBackend, readonly Limit[]>> = {
  nftables: [],
  iptables_nft: IPTABLES,
  iptables_legacy: [...IPTABLES, ...LEGACY],
  none: [],
}

const NO_IPV6: Limit = ['bind_address', (rule) => familyOf(rule) === 6, message('root.no_ip6tables')]

/** Empty where the backend does exactly what the canonical rule says. */
export const ruleLimits = (
  { active, has_ipv6 }: Pick<RuleBackendFound, 'active' | 'has_ipv6'>,
  rule: RelayRule,
): RuleLimit[] =>
  [...LIMITS[active], ...(has_ipv6 ? [] : [NO_IPV6])]
    .filter(([, isBeyond]) => isBeyond(rule))
    .map(([field, , why]) => ({ field, why }))

/** Why a feature is missing, or has bounds that nftables does not have. */
export function featureNotes({ active, has_ipv6 }: Pick<RuleBackendFound, 'active' | 'has_ipv6'>): Message {
  const limits = [...LIMITS[active], ...(has_ipv6 || active === 'none' ? [] : [NO_IPV6])].map(([, , why]) => why)
  const named = active === 'nftables' || active === 'none' ? [] : [message('root.chains_unnamed')]
  const [first = verbatim(''), ...others] = [...limits, ...named]
  return others.reduce((all, one) => message('root.both', { first: all, second: one }), first)
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
