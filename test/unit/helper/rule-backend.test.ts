// Which backend the helper is configured for, and that each refusal of a backend concerns what a rule needs and nothing
// else.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readConfig } from '@panel/root-helper/config.ts'
import { allowRules } from '@panel/root-helper/policy.ts'
import { RULE_BACKENDS, ruleLimits } from '@panel/shared/ruleset/backend.ts'
import { readForeign } from '@panel/shared/foreign/read.ts'
import { readTables } from '@panel/shared/ruleset/iptables/read-tables.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { relayRule } from '../../support/random-rules.ts'

describe('The backend of relay rules', () => {
  it('is the best that is there by default, and an unknown name is reported at once', () => {
    const backendFor = (value?: string) =>
      readConfig(value === undefined ? {} : { PANEL_RULE_BACKEND: value }).ruleBackend
    assert.deepEqual([backendFor(), backendFor('auto'), backendFor('iptables_legacy')], [null, null, 'iptables_legacy'])
    for (const wrong of ['none', 'nft', 'auto;'])
      assert.throws(() => backendFor(wrong), /PANEL_RULE_BACKEND must be auto, nftables, iptables_nft, iptables_legacy/)
  })

  it('is root’s to judge too: what it cannot do is refused to any client', () => {
    const limited = exampleRule({ max_connections_per_source: 5 })
    assert.throws(() => allowRules([limited], 'iptables_legacy'), /Rule 1: iptables-legacy forgets/)
    assert.doesNotThrow(() => allowRules([limited], 'iptables_nft'))
    assert.throws(
      () => allowRules([exampleRule({ connection_rate_limit: 10_001 })], 'iptables_nft'),
      /10000 new connections/,
    )
  })

  it('of nftables refuses nothing, and without ip6tables every rule of IPv6 is refused at its address', () => {
    fc.assert(
      fc.property(relayRule, fc.constantFrom(...RULE_BACKENDS), (rule, active) => {
        assert.deepEqual(ruleLimits({ active: 'nftables', has_ipv6: true }, rule), [])
        const fields = ruleLimits({ active, has_ipv6: false }, rule).map(({ field }) => field)
        assert.equal(fields.includes('bind_address'), rule.bind_address.includes(':'))
      }),
    )
  })
})

describe('A listing of iptables', () => {
  it('that cannot tell all of a table of ours is no listing, so that nothing is taken for gone', () => {
    assert.throws(() => readTables("# Table `nat' is incompatible, use 'nft' tool.\n", 4), /table nat/)
    assert.doesNotThrow(() => readTables("# Table `filter' is incompatible, use 'nft' tool.\n", 4))
  })

  it('by nft shows nothing of ours as foreign, and what other programs have beside it', () => {
    const at = { family: 'ip', table: 'nat' }
    const listed = (...more: object[]): string =>
      JSON.stringify({
        nftables: [
          { chain: { ...at, name: 'PREROUTING', type: 'nat', hook: 'prerouting', prio: -100, policy: 'accept' } },
          { chain: { ...at, name: 'PANEL-IN' } },
          {
            rule: {
              ...at,
              chain: 'PREROUTING',
              handle: 3,
              expr: [{ counter: null }, { jump: { target: 'PANEL-IN' } }],
            },
          },
          { rule: { ...at, chain: 'PANEL-IN', handle: 4, expr: [{ drop: null }] } },
          ...more,
        ],
      })
    const alone = readForeign(listed(), '')
    assert.deepEqual([alone.managers, alone.chains, alone.rules], [[], [], []])
    const beside = readForeign(
      listed({ rule: { ...at, chain: 'PREROUTING', handle: 5, expr: [{ accept: null }] } }),
      '',
    )
    assert.deepEqual(
      [beside.managers, beside.chains.map(({ chain }) => chain), beside.rules.length],
      [['iptables'], ['PREROUTING'], 1],
    )
  })
})
