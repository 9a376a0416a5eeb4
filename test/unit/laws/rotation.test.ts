// The laws of destinations that go out of rotation and come back: what moves, what stays, and that the table tells it.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { canonicalRule } from '@panel/shared/ruleset/canonical.ts'
import { IN_ROTATION, type RelayDestination, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { leadsOf } from '@panel/shared/ruleset/leads.ts'
import { applyChange, diffTables } from '@panel/shared/ruleset/nft/change.ts'
import { DIRECT_MAX, isDirect } from '@panel/shared/ruleset/nft/direct.ts'
import { layOut } from '@panel/shared/ruleset/nft/layout.ts'
import { readPieces } from '@panel/shared/ruleset/nft/read.ts'
import type { Table } from '@panel/shared/ruleset/nft/table.ts'
import { destinationSlots, drawnSlots } from '@panel/shared/ruleset/slots.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { relayRule, relayRules } from '../../support/random-rules.ts'

const outFlags = fc.array(fc.boolean(), { minLength: 4, maxLength: 4 })
const turned = (rule: RelayRule, out: readonly boolean[], is_closed = false): RelayRule =>
  canonicalRule({
    ...rule,
    is_closed,
    destinations: rule.destinations.map((one, at) => ({ ...one, rotation: out[at] ? 'out' : 'in' })),
  })
/** One rule in two states. */
const twoStates = fc
  .tuple(relayRule, outFlags, outFlags)
  .map(([rule, a, b]) => [turned(rule, a), turned(rule, b)] as const)

const isOut = ({ destinations }: RelayRule, at: number): boolean => destinations[at]?.rotation === 'out'
const takers = ({ destinations }: RelayRule): Set<number> => {
  const of = (rotation: RelayDestination['rotation']): number[] =>
    [...destinations.keys()].filter((at) => destinations[at]?.rotation === rotation)
  return new Set([of('in'), of('standby')].find((some) => some.length > 0) ?? destinations.keys())
}
const elements = ({ sets }: Table): unknown =>
  [...sets].map(([name, set]) => [name, [...(set.elements ?? [])].sort()]).sort()

describe('The slots of a rule whose destinations rotate', () => {
  it('stay at home as long as their own destination is not out', () => {
    fc.assert(
      fc.property(twoStates, ([rule]) => {
        const homes = destinationSlots(rule)
        leadsOf(rule).forEach((lead, slot) => assert.ok(isOut(rule, homes[slot]!) || lead === homes[slot]))
      }),
    )
  })

  it('lead to one that may take new flows, whatever is out', () => {
    fc.assert(
      fc.property(twoStates, ([rule]) => {
        assert.ok(leadsOf(rule).length > 0)
        assert.equal(leadsOf(rule).length, drawnSlots(rule))
        assert.ok(leadsOf(rule).every((lead) => takers(rule).has(lead)))
      }),
    )
  })

  it('move for no other reason than their own destination, the one that left, or the one that came', () => {
    fc.assert(
      fc.property(twoStates, ([before, after]) => {
        const [homes, was, is] = [destinationSlots(before), leadsOf(before), leadsOf(after)]
        was.forEach((_, slot) => {
          const home = homes[slot]!
          if (was[slot] === is[slot] || isOut(before, home) !== isOut(after, home)) return
          assert.ok(!takers(after).has(was[slot]!) || !takers(before).has(is[slot]!))
        })
      }),
      { numRuns: 500 },
    )
  })

  it('give a backup nothing while another destination is in rotation', () => {
    fc.assert(
      fc.property(twoStates, ([rule]) => {
        const drawn = leadsOf(rule)
        const isAny = rule.destinations.some(({ rotation }) => rotation === 'in')
        assert.ok(!isAny || drawn.every((lead) => !rule.destinations[lead]?.is_backup))
      }),
    )
  })

  const taken = (weights: readonly number[], out: readonly number[], route_rule_id = 1): number[] => {
    const destinations = weights.map((weight, at) => ({
      ...{ address: `10.9.0.${at + 2}`, port: 80, port_range_end: null, weight, is_backup: false },
      rotation: out.includes(at) ? ('out' as const) : ('in' as const),
    }))
    const leads = leadsOf(exampleRule({ route_rule_id, balance: 'weighted', destinations }))
    return weights.map((_, at) => leads.filter((lead) => lead === at).length)
  }

  it('leave those that stay their shares: alike for equal weights, and otherwise to within two slots for each time that slots are dealt', () => {
    for (let many = 2; many <= 9; many += 1)
      for (let out = 0; out < many; out += 1)
        assert.equal(new Set(taken(new Array<number>(many).fill(1), [out]).filter((slots) => slots > 0)).size, 1)
    assert.deepEqual(taken([1, 1, 1, 1], [0, 2]), [0, 6, 0, 6])
    assert.deepEqual(
      taken([3, 2, 1], [0]).map((slots) => slots / taken([3, 2, 1], [0])[2]!),
      [0, 2, 1],
    )
    const weights = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 3, maxLength: 7 })
    fc.assert(
      fc.property(weights, fc.integer({ min: 1, max: 2 }), fc.nat(500), (all, many, id) => {
        const out = [...all.keys()].slice(0, many)
        const slots = taken(all, out, id + 1)
        const [total, weight] = [slots, all.slice(many)].map((some) => some.reduce((sum, one) => sum + one, 0))
        for (const [at, own] of all.entries())
          if (at >= many)
            // A part of a smooth turn is two beginnings of it apart, each of which is less than one slot off.
            assert.ok(Math.abs(slots[at]! - (total! * own) / weight!) < 2 * (2 * many - 1), `${all} ${out} ${slots}`)
      }),
    )
  })

  it('of many rules are taken over by all that stay, and by each according to its weight', () => {
    const shares = (weights: readonly number[]): number[] => {
      const taken = weights.map(() => 0)
      for (let id = 1; id <= 1000; id += 1) {
        const destinations = weights.map((weight, at) => ({
          ...{ address: `10.9.0.${at + 2}`, port: 80, port_range_end: null, weight, is_backup: false },
          rotation: at === 0 ? ('out' as const) : ('in' as const),
        }))
        const lead = leadsOf(exampleRule({ route_rule_id: id, balance: 'weighted', destinations }))[0] ?? 0
        taken[lead] = (taken[lead] ?? 0) + 1
      }
      return taken.map((many) => Math.round(many / 100))
    }
    assert.deepEqual(shares([1, 1, 1]), [0, 5, 5])
    assert.deepEqual(shares([5, 1, 4]), [0, 2, 8])
  })
})

describe('The table of rules whose destinations rotate', () => {
  it('reads as the rules again', () => {
    fc.assert(
      fc.property(relayRules, (rules) => {
        const { rules: read, damaged, unmanaged } = readPieces(layOut(rules))
        assert.deepEqual({ read, damaged, unmanaged }, { read: rules, damaged: [], unmanaged: [] })
      }),
      { numRuns: 200 },
    )
  })

  it('differs in elements alone, which root commits by itself', () => {
    fc.assert(
      fc.property(twoStates, fc.boolean(), ([before, after], closes) => {
        const [from, to] = [layOut([before]), layOut([turned(after, [], closes)])]
        const change = diffTables(from, to)
        const parts = change.elements.reduce((sum, { gone, come }) => sum + gone.length + come.length, 0)
        assert.equal(isDirect(change, from), parts > 0 && parts <= DIRECT_MAX)
      }),
      { numRuns: 200 },
    )
  })

  it('is what it was after a destination went out and came back', () => {
    fc.assert(
      fc.property(twoStates, ([before, after]) => {
        const table = layOut([before])
        applyChange(table, diffTables(table, layOut([after])))
        applyChange(table, diffTables(table, layOut([before])))
        assert.deepEqual(elements(table), elements(layOut([before])))
      }),
      { numRuns: 100 },
    )
  })

  it('exchanges one element for a plain rule, and notes where its slot belongs', () => {
    const to = (last: number) => ({
      address: `10.9.0.${last}`,
      port: 80,
      port_range_end: null,
      weight: 1,
      ...IN_ROTATION,
    })
    const rule = exampleRule({ route_rule_id: 5, destinations: [to(2), { ...to(3), is_backup: true }] })
    const { elements: changed } = diffTables(layOut([rule]), layOut([turned(rule, [true])]))
    assert.deepEqual(
      changed.map(({ name, gone, come }) => [name, gone, come]),
      [
        ['relay_to4', [['0x50000500', '10.9.0.2 . 80']], [['0x50000500', '10.9.0.3 . 80']]],
        ['relay_home4', [], [['0x50000500', '10.9.0.2 . 80']]],
      ],
    )
  })

  it('leads nowhere where a rule is closed', () => {
    fc.assert(
      fc.property(relayRule, (rule) => {
        const { sets } = layOut([turned(rule, [], true)])
        const leads = ['to', 'same', 'shift'].flatMap((name) =>
          [4, 6].map((family) => sets.get(`relay_${name}${family}`)),
        )
        assert.deepEqual(
          leads.map((set) => set?.elements?.size),
          [0, 0, 0, 0, 0, 0],
        )
      }),
    )
  })
})
