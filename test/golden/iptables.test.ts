// Each folder of ruleset/ is also the text for iptables-restore and ip6tables-restore that makes its rules; test/netns
// and test/vm load such texts.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { familyOf } from '@panel/shared/ruleset/canonical.ts'
import { readIptables } from '@panel/shared/ruleset/iptables/read.ts'
import { iptablesText } from '@panel/shared/ruleset/iptables/render.ts'
import { goldenRules, RULESETS } from '../support/golden-rules.ts'
import { relayRules } from '../support/random-rules.ts'
import { sameAsFile } from './golden.ts'

describe('The text for iptables that follows from relay rules', () => {
  for (const name of readdirSync(RULESETS)) {
    it(`is right for ${name.replaceAll('-', ' ')}`, () => sameAsFile(join(RULESETS, name, 'iptables.rules'), iptablesText([], goldenRules(name))))
  }

  it('does not depend on the order of the rules, and is none if nothing differs', () => {
    fc.assert(fc.property(relayRules, (rules) => {
      assert.equal(iptablesText([], [...rules].reverse()), iptablesText([], rules))
      assert.equal(iptablesText(rules, rules), '')
    }), { numRuns: 50 })
  })

  it('names no chain but ours and those of the kernel that lead to them, and neither empties nor declares one of the kernel', () => {
    fc.assert(fc.property(relayRules, relayRules, (before, after) => {
      for (const line of iptablesText(before, after).split('\n')) assert.match(line, /^(?:# For ip6?tables-restore --noflush|\*(?:mangle|nat)|COMMIT|:PANEL-\S+ - \[0:0\]|-[ADIFX] PANEL-.*|-[DI] (?:PREROUTING|INPUT|OUTPUT|POSTROUTING) .*-j PANEL-(?:IN|OUT|SNAT|COUNT|POST|MARK)|)$/)
    }), { numRuns: 40 })
  })

  it('leaves the lines that count alone, of rules that stay and of rules that go', () => {
    fc.assert(fc.property(relayRules, relayRules, (before, after) => {
      const texts = iptablesText(before, after).split(/^(?=# For )/m)
      for (const { route_rule_id, bind_address } of before) assert.doesNotMatch(texts.find((text) => text.startsWith('# For ip6') === bind_address.includes(':')) ?? '', new RegExp(`^(?::|-[ADIFX] )PANEL-C-${route_rule_id}( |$)`, 'm'))
    }), { numRuns: 40 })
  })

  it('reads as the rules again', () => {
    fc.assert(fc.property(relayRules, (rules) => {
      for (const family of [4, 6] as const) {
        const part = iptablesText([], rules).split(/^(?=# For )/m).find((text) => text.startsWith(`# For ip${family === 6 ? '6' : ''}tables-`)) ?? ''
        // As if it were listed: what is put at the front of a chain stands in it.
        const { rules: read, damaged, unmanaged } = readIptables(part.replace(/^-I (\S+) 1 /gm, '-A $1 '), family)
        assert.deepEqual({ read, damaged, unmanaged }, { read: rules.filter((rule) => familyOf(rule) === family), damaged: [], unmanaged: [] })
      }
    }), { numRuns: 60 })
  })
})
