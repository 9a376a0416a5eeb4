// Each folder of ruleset/ is a list of relay rules and the nft text that makes them; test/netns and test/vm load each
// by a real nft.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { canonicalRule, canonicalRuleset } from '@panel/shared/ruleset/canonical.ts'
import { rulesetText } from '@panel/shared/ruleset/nft/render.ts'
import { destinationSlots, turnsIn } from '@panel/shared/ruleset/slots.ts'
import { IN_ROTATION } from '@panel/shared/ruleset/model.ts'
import { goldenRules, RULESETS } from '../support/golden-rules.ts'
import { fastRelayRules as relayRules } from '../support/random-rules.ts'
import { sameAsFile } from './golden.ts'

describe('The text that follows from relay rules', () => {
  for (const name of readdirSync(RULESETS)) {
    it(`is right for ${name.replaceAll('-', ' ')}`, () => sameAsFile(join(RULESETS, name, 'ruleset.nft'), rulesetText(null, goldenRules(name))))
  }

  it('does not depend on the order of the rules, and says only what differs', () => {
    fc.assert(fc.property(relayRules, relayRules, (before, after) => {
      assert.equal(rulesetText(null, [...after].reverse()), rulesetText(null, after))
      assert.doesNotMatch(rulesetText(after, after), /element|delete|add counter|add table/)
      assert.ok(before.length === 0 || rulesetText(before, after).includes('dnat ip to ct mark map @relay_to4'))
    }), { numRuns: 50 })
  })

  it('never recreates a counter for a rule that stays, nor takes one away from a rule that goes', () => {
    fc.assert(fc.property(relayRules, relayRules, (before, after) => {
      const text = rulesetText(before, after)
      const stays = before.filter(({ route_rule_id }) => after.some((rule) => rule.route_rule_id === route_rule_id))
      for (const { route_rule_id } of stays) assert.ok(!text.includes(`counter inet panel rule_${route_rule_id}_tx\n`))
      assert.ok(!text.includes('delete counter'))
    }), { numRuns: 100 })
  })

  it('holds no set without a name, which would be quadratic in the kernel', () => {
    fc.assert(fc.property(relayRules, (rules) => {
      const lines = rulesetText(null, rules).split('\n').filter((line) => line.startsWith('add rule'))
      assert.deepEqual(lines.filter((line) => line.includes('{') && !line.includes('add @open')), [])
    }), { numRuns: 50 })
  })
})

describe('The canonical form of relay rules', () => {
  it('is its own canonical form', () => {
    fc.assert(fc.property(relayRules, (rules) => assert.deepEqual(canonicalRuleset(rules), rules)))
  })
})

describe('The slots of a weighted rule', () => {
  const rule = (...weights: number[]) => canonicalRule({ ...goldenRules('one-TCP-rule-with-masquerade')[0]!, balance: 'weighted', destinations: weights.map((weight, at) => ({ address: `10.9.0.${at + 1}`, port: 1, port_range_end: null, weight, ...IN_ROTATION })) })
  const slots = (...weights: number[]): number[] => destinationSlots(rule(...weights))
  const shares = (drawn: number[]): number[] => drawn.reduce<number[]>((all, index) => ((all[index] = (all[index] ?? 0) + 1), all), [])

  it('take turns, as many for each as its weight, in lowest terms, and several turns of three or more', () => {
    assert.deepEqual(slots(300, 100), [0, 0, 1, 0])
    assert.deepEqual([shares([...turnsIn(rule(5, 3, 2)).turn]), shares(slots(5, 3, 2))], [[5, 3, 2], [20, 12, 8]])
    assert.deepEqual(slots(1, 1, 1), [0, 1, 2, 0, 1, 2])
  })

  it('are never more than a mark can hold, and every destination has one', () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 64 }), (weights) => {
      const drawn = slots(...weights)
      assert.ok(drawn.length <= 256)
      assert.equal(shares(drawn).filter((share) => share > 0).length, weights.length)
    }))
  })
})
