// The law of a change of some rules among many: the part that is compiled for it says all that the whole would say.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { canonicalRuleset } from '@panel/shared/ruleset/canonical.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { applyChange, diffTables } from '@panel/shared/ruleset/nft/change.ts'
import { layOut } from '@panel/shared/ruleset/nft/layout.ts'
import { rulesAround } from '@panel/shared/ruleset/part.ts'
import type { Table } from '@panel/shared/ruleset/nft/table.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { fastRelayRules as relayRules } from '../../support/random-rules.ts'

/** Sets and maps have no order in the kernel, and counters of rules that went are taken away later. */
const picture = ({ counters, sets, chains }: Table, wanted: Table): unknown => ({
  lacking: [...wanted.counters].filter((name) => !counters.has(name)),
  sets: [...sets]
    .map(([name, { kind, declaration, elements }]) => [name, kind, declaration, elements && [...elements].sort()])
    .sort(),
  chains: [...chains].map(([name, { declaration, rules }]) => [name, declaration, rules]).sort(),
})

/** Most rules of the one list stand in the other too. */
const twoLists = fc
  .tuple(relayRules, relayRules, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }))
  .map(([before, others, stays]): [RelayRule[], RelayRule[]] => {
    const kept = before.filter((_, at) => stays[at])
    const ids = new Set(kept.map(({ route_rule_id }) => route_rule_id))
    return [
      before,
      canonicalRuleset([...kept, ...others.filter(({ route_rule_id }) => !ids.has(route_rule_id)).slice(0, 2)]),
    ]
  })

describe('the part of a ruleset that a change has to do with', () => {
  it('takes the table of the rules before to the table of those after', () => {
    fc.assert(
      fc.property(twoLists, ([before, after]) => {
        const part = rulesAround(before, after)
        const table = layOut(before)
        applyChange(table, diffTables(layOut(part.before), layOut(part.after)))
        assert.deepEqual(picture(table, layOut(after)), picture(layOut(after), layOut(after)))
      }),
      { numRuns: 150 },
    )
  })

  it('is none of the thousands of rules on other ports', () => {
    const rules = Array.from({ length: 5000 }, (_, i) =>
      exampleRule({ route_rule_id: i + 1, sort_order: i, bind_port: 1000 + i }),
    )
    const after = rules.map((rule) => (rule.route_rule_id === 77 ? { ...rule, nat_mode: 'none' as const } : rule))
    assert.deepEqual(rulesAround(rules, after), { before: [rules[76]], after: [after[76]] })
  })
})
