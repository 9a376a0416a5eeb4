// Arbitrary relay rules for property tests: canonical, and drawn from few addresses and ports, so that they often meet.
import fc from 'fast-check'
import { canonicalRule, canonicalRuleset } from '@panel/shared/ruleset/canonical.ts'
import { NAT_MODES, BALANCES, RELAY_PROTOCOLS, type RelayRule } from '@panel/shared/ruleset/model.ts'

const addresses = { 4: ['192.0.2.1', '192.0.2.2', '0.0.0.0'], 6: ['2001:db8::1', '2001:db8::2', '::'] } as const
const targets = { 4: ['10.9.0.2', '10.9.0.3', '10.9.0.4'], 6: ['fd09::2', 'fd09::3', '::ffff:1.2.3.4'] } as const
const networks = {
  4: [
    '10.0.0.0/8',
    '10.1.0.0/16',
    '10.1.0.0/25',
    '10.1.0.128/25',
    '198.51.100.7/32',
    '128.0.0.0/1',
    '255.255.255.255/32',
    '0.0.0.0/0',
  ],
  6: ['fd00::/8', 'fd01::/64', '2001:db8:5::7/128', '8000::/1', '::/0'],
} as const
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { freq: 1 })
const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(arbitrary, { freq: 3 }).map((value) => value)

/** What keeps a rule off the fast path would do so to most that are drawn. */
const NOTHING_SLOW = {
  fwmark: null,
  is_logging_enabled: false,
  max_connections_per_source: null,
  connection_rate_limit: null,
}

const ruleOf = (family: 4 | 6, mayBeFast: boolean): fc.Arbitrary<RelayRule> =>
  fc
    .record({
      route_rule_id: fc.integer({ min: 1, max: 12 }),
      sort_order: fc.integer({ min: 0, max: 5 }),
      protocol: fc.constantFrom(...RELAY_PROTOCOLS),
      bind_address: fc.constantFrom(...addresses[family]),
      bind_port: fc.integer({ min: 1000, max: 1012 }),
      width: fc.constantFrom(0, 0, 0, 1, 4, 9),
      bind_interface: maybe(fc.constantFrom('eth0', 'vlan.12@x', '7')),
      destinations: fc.array(
        fc.record({
          address: fc.constantFrom(...targets[family]),
          port: fc.integer({ min: 1000, max: 1012 }),
          port_range_end: fc.constant(null),
          weight: fc.constantFrom(1, 2, 3, 10, 999, 1000),
          is_backup: fc.constantFrom(false, false, true),
          rotation: fc.constantFrom('in' as const, 'in' as const, 'out' as const),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      balance: fc.constantFrom('none' as const, ...BALANCES),
      nat_mode: fc.constantFrom(...NAT_MODES),
      allowed_sources: fc
        .constantFrom(0, 0, 1, 2, 4)
        .chain((many) =>
          fc.uniqueArray(fc.constantFrom<string>(...networks[family]), { minLength: many, maxLength: many }),
        ),
      is_clamp_mss_to_pmtu: fc.boolean(),
      is_include_local_originated: fc.boolean(),
      is_logging_enabled: fc.constantFrom(false, false, true),
      fwmark: rarely(fc.integer({ min: 1, max: 0xffff_ffff })),
      max_connections_per_source: rarely(fc.integer({ min: 1, max: 1_000_000 })),
      connection_rate_limit: rarely(fc.integer({ min: 1, max: 1_000_000 })),
      is_closed: fc.constantFrom(false, false, false, true),
      is_fast_path: mayBeFast ? fc.boolean() : fc.constant(false),
    })
    .map(({ width, ...rule }) =>
      canonicalRule({
        ...rule,
        ...(rule.is_fast_path ? NOTHING_SLOW : {}),
        bind_port_range_end: width === 0 ? null : rule.bind_port + width,
        snat_address: rule.nat_mode === 'snat' ? targets[family][0] : null,
      }),
    )

const ruleOfAny = (mayBeFast: boolean): fc.Arbitrary<RelayRule> =>
  fc.oneof(ruleOf(4, mayBeFast), ruleOf(4, mayBeFast), ruleOf(6, mayBeFast))
const rulesOf = (rule: fc.Arbitrary<RelayRule>): fc.Arbitrary<RelayRule[]> =>
  fc.uniqueArray(rule, { maxLength: 10, selector: ({ route_rule_id }) => route_rule_id }).map(canonicalRuleset)

export const relayRule: fc.Arbitrary<RelayRule> = ruleOfAny(false)

/** Up to twelve rules, in their order. */
export const relayRules: fc.Arbitrary<RelayRule[]> = rulesOf(relayRule)
/** The same for what needs no kernel: not every one has flowtables. */
export const fastRelayRules: fc.Arbitrary<RelayRule[]> = rulesOf(ruleOfAny(true))
