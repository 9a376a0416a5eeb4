// However the rules come, together or one after the other, root holds no more of them than it can read.
import assert from 'node:assert/strict'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { ELEMENTS_MAX, elementsOf } from '@panel/shared/ruleset/elements.ts'
import { applyRuleset } from '@panel/root-helper/nouns/ruleset/handlers.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { noJournal } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

/** It shifts all ports but one. */
const wide = (route_rule_id: number, more: Partial<RelayRule> = {}): RelayRule =>
  exampleRule({
    route_rule_id,
    sort_order: route_rule_id,
    bind_port: 1,
    bind_port_range_end: 65_534,
    destinations: [{ address: '10.9.0.2', port: 2, port_range_end: 65_535, weight: 1, ...IN_ROTATION }],
    ...more,
  })
/** It has as many slots as a rule can have. */
const balanced = (route_rule_id: number): RelayRule =>
  exampleRule({
    route_rule_id,
    sort_order: route_rule_id,
    bind_port: route_rule_id,
    balance: 'weighted',
    destinations: [
      { address: '10.9.0.2', port: 80, port_range_end: null, weight: 1, ...IN_ROTATION },
      { address: '10.9.0.3', port: 80, port_range_end: null, weight: 255, ...IN_ROTATION },
    ],
  })
const range = (count: number, make: (id: number) => RelayRule): RelayRule[] =>
  Array.from({ length: count }, (_, at) => make(at + 1))

describe('The amount of relay rules', () => {
  quietly()
  let kernel: FakeKernel
  beforeEach(() => (kernel = new FakeKernel()))
  const apply = (before: RelayRule[] | null, after: RelayRule[] | null) =>
    applyRuleset(kernel.rulesets, noJournal(), { before, after })
  const refused = (before: RelayRule[] | null, after: RelayRule[]): Promise<void> =>
    assert.rejects(apply(before, after), /All relay rules together would take \d+ elements.*131072 are the most/)

  it('is bounded in one request, before anything is done', async () => {
    await refused(null, range(10, wide))
    await refused(null, range(600, balanced))
    await refused(
      null,
      range(1400, (id) => exampleRule({ route_rule_id: id, bind_port: id, allowed_sources: SOURCES })),
    )
    assert.deepEqual(kernel.changes, [])
  })

  it('is bounded over several requests: what is held counts with what is wanted', async () => {
    for (const id of [1, 2]) assert.equal((await apply(null, [wide(id)])).outcome, 'applied')
    await refused(null, [wide(3)])
    assert.equal(
      (await apply([wide(2)], [wide(2, { bind_port_range_end: 9, destinations: [{ ...NARROW }] })])).outcome,
      'applied',
    )
    assert.equal((await apply(null, [wide(3, { bind_port: 40_000, destinations: [{ ...HALF }] })])).outcome, 'applied')
  })

  it('lets what is there already be changed and removed, though it were too much', async () => {
    const held = range(4, wide)
    await kernel.rulesets.submit([], held)
    await kernel.rulesets.saveForBoot([], held)
    assert.equal((await apply([held[0]!], [{ ...held[0]!, is_logging_enabled: true }])).outcome, 'applied')
    assert.equal((await apply([held[1]!], null)).outcome, 'applied')
    await refused(null, [exampleRule({ route_rule_id: 9, bind_port: 9 })])
  })

  it('leaves room for ten thousand plain rules', () => {
    assert.ok(10_000 * elementsOf(exampleRule({ route_rule_id: 1 })) < ELEMENTS_MAX / 4)
  })
})

const NARROW = { address: '10.9.0.2', port: 2, port_range_end: 10, weight: 1, ...IN_ROTATION }
const HALF = { address: '10.9.0.2', port: 40_001, port_range_end: 65_535, weight: 1, ...IN_ROTATION }
const SOURCES = Array.from({ length: 100 }, (_, at) => `10.1.${at}.0/24`)
