// The law of a change of some rules while others are damaged or missing: it does what it says, and the others stay as
// they are found.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { applyChange, diffTables } from '@panel/shared/ruleset/nft/change.ts'
import { layOut } from '@panel/shared/ruleset/nft/layout.ts'
import { patchTable } from '@panel/shared/ruleset/nft/patch.ts'
import { readPieces } from '@panel/shared/ruleset/nft/read.ts'
import type { Table } from '@panel/shared/ruleset/nft/table.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { fastRelayRules as relayRules } from '../../support/random-rules.ts'

const idsOf = (rules: readonly { route_rule_id: number }[]): number[] => rules.map(({ route_rule_id }) => route_rule_id)

/** What the kernel holds once `gone` have left and `put` have come. */
function changed(found: Table, gone: readonly number[], put: readonly RelayRule[]): Table {
  const { legible } = readPieces(found)
  const ids = new Set([...gone, ...idsOf(put)])
  const after = [...legible.filter(({ route_rule_id }) => !ids.has(route_rule_id)), ...put]
  const target = patchTable(found, { before: legible, after, ids })
  const made = structuredClone(found)
  applyChange(made, diffTables(found, target))
  return made
}

const picture = ({ sets, chains }: Table): unknown => ({
  sets: [...sets].map(([name, { declaration, elements }]) => [name, declaration, [...(elements ?? [])].sort()]).sort(),
  chains: [...chains].map(([name, { declaration, rules }]) => [name, declaration, rules]).sort(),
})

/** Every chain and set that a line or an element names is there, or the kernel would refuse the transaction. */
function assertWhole({ sets, chains }: Table): void {
  const texts = [
    ...[...chains.values()].flatMap(({ rules }) => rules),
    ...[...sets.values()].flatMap(({ elements }) => [...(elements?.values() ?? [])]),
  ]
  for (const text of texts) {
    for (const [, name = ''] of text.matchAll(/goto (\w+)/g)) assert.ok(chains.has(name), `no chain for ${text}`)
    for (const [, name = ''] of text.matchAll(/@(\w+)/g)) assert.ok(sets.has(name), `no set for ${text}`)
  }
}

/** Takes away elements here and there, and lines of chains of ports. */
function harm(table: Table, choices: readonly number[]): void {
  const elements = [...table.sets].flatMap(([name, set]) =>
    [...(set.elements?.keys() ?? [])].map((key) => ({ name, key })),
  )
  for (const choice of choices) {
    const { name, key } = elements[choice % Math.max(elements.length, 1)] ?? { name: '', key: '' }
    table.sets.get(name)?.elements?.delete(key)
  }
}

describe('A change of some rules of a table', () => {
  it('that is whole makes of it what the rules after it compile to', () => {
    fc.assert(
      fc.property(relayRules, relayRules, (before, put) => {
        const gone = idsOf(before).filter((_, at) => at % 3 === 0)
        const ids = new Set([...gone, ...idsOf(put)])
        const after = [...before.filter(({ route_rule_id }) => !ids.has(route_rule_id)), ...put]
        assert.deepEqual(picture(changed(layOut(before), gone, put)), picture(layOut(after)))
      }),
      { numRuns: 150 },
    )
  })

  it('in which pieces are missing never names what is not there, and holds the rules of the change as requested', () => {
    fc.assert(
      fc.property(relayRules, relayRules, fc.array(fc.nat(), { maxLength: 6 }), (before, put, choices) => {
        const found = layOut(before)
        harm(found, choices)
        const gone = idsOf(before).filter((_, at) => at % 3 === 0)
        const made = changed(found, gone, put)
        assertWhole(made)
        const { rules, damaged } = readPieces(made)
        const held = [...idsOf(rules), ...idsOf(damaged)]
        assert.deepEqual(
          gone.filter((id) => held.includes(id) && !idsOf(put).includes(id)),
          [],
        )
        assert.deepEqual(
          idsOf(put).filter((id) => !held.includes(id)),
          [],
        )
      }),
      { numRuns: 150 },
    )
  })

  it('leaves rules on other ports just as they are found: whole, damaged or missing', () => {
    const others = [1, 2, 3].map((id) => exampleRule({ route_rule_id: id, bind_port: 1000 + id, sort_order: id }))
    const [mine, logged] = [
      exampleRule({ route_rule_id: 5 }),
      exampleRule({ route_rule_id: 5, is_logging_enabled: true, is_clamp_mss_to_pmtu: true, fwmark: 7 }),
    ]
    const found = layOut([...others, mine])
    found.sets.get('relay_account')?.elements?.delete('0x50000200 . reply')
    found.sets.get('relay_to4')?.elements?.delete('0x50000300')
    const of = (table: Table) => {
      const { rules, damaged } = readPieces(table)
      return { whole: idsOf(rules).sort(), damaged: idsOf(damaged) }
    }
    assert.deepEqual(of(found), { whole: [1, 5], damaged: [2, 3] })
    const made = changed(found, [], [logged])
    assert.deepEqual(of(made), { whole: [1, 5], damaged: [2, 3] })
    assert.deepEqual(
      readPieces(made).rules.find(({ route_rule_id }) => route_rule_id === 5),
      logged,
    )
    assert.equal(made.sets.get('relay_account')?.elements?.has('0x50000200 . reply'), false)
    assert.deepEqual(of(changed(made, [5], [])), { whole: [1], damaged: [2, 3] })
    assert.deepEqual(of(changed(made, [2, 3], [])), { whole: [1, 5], damaged: [] })
    assert.deepEqual(picture(changed(made, [2, 3, 5], [])), picture(layOut(others.slice(0, 1))))
  })

  it('leaves the chain of a rule that lost its sources, as long as a line that stays leads there', () => {
    const limited = exampleRule({
      route_rule_id: 1,
      bind_port: 1001,
      allowed_sources: ['10.0.0.0/8'],
      is_include_local_originated: true,
    })
    const ports = { bind_port: 1000, bind_port_range_end: 1009, sort_order: 1 }
    const [end] = limited.destinations
    const wide = exampleRule({
      route_rule_id: 9,
      ...ports,
      destinations: [{ ...end!, port: 1000, port_range_end: 1009 }],
    })
    const found = layOut([limited, wide])
    found.sets.get('from4_1')?.elements?.clear()
    const made = changed(found, [9], [])
    assertWhole(made)
    assert.deepEqual(idsOf(readPieces(made).damaged), [1])
  })

  it('takes out of the table what no rule explains', () => {
    const rules = [
      exampleRule({ route_rule_id: 1, is_logging_enabled: true }),
      exampleRule({ route_rule_id: 2, bind_port: 80 }),
    ]
    const found = layOut(rules)
    found.chains.get('relay_in')?.rules.unshift('tcp dport 22 dnat ip to 10.9.0.9')
    found.chains.get('in_tcp_443')?.rules.push('accept')
    found.chains.set('extra', { declaration: '', rules: [] })
    const made = changed(found, [], [exampleRule({ route_rule_id: 2, bind_port: 81 })])
    assert.deepEqual(readPieces(made).unmanaged, [])
  })
})
