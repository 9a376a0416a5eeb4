// How much of a rule it concerns what happens to some of its packets, whatever its destinations are.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { extentOf } from '@panel/shared/foreign/extent.ts'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { leadsOf } from '@panel/shared/ruleset/leads.ts'
import { transportsOf } from '@panel/shared/ruleset/ports.ts'
import { exampleRule } from '../../support/example-rule.ts'

const someRule = fc
  .record({
    protocol: fc.constantFrom('tcp', 'udp', 'both'),
    rotations: fc.array(fc.constantFrom('in', 'out'), { minLength: 1, maxLength: 5 }),
  })
  .map(({ protocol, rotations }): RelayRule => {
    const destinations = rotations.map((rotation, at) => ({
      ...{ ...IN_ROTATION, rotation, address: `10.9.0.${at + 2}`, port: 80, port_range_end: null, weight: 1 },
    }))
    return exampleRule({ protocol, destinations, balance: destinations.length > 1 ? 'round_robin' : 'none' })
  })
const waysOf = (rule: RelayRule) =>
  transportsOf(rule).flatMap((protocol) => [...new Set(leadsOf(rule))].map((to) => ({ protocol, to })))

describe('The extent of what happens to packets of a rule', () => {
  it('is all of it exactly if every way of new connections is concerned, and none if no such way is', () => {
    fc.assert(
      fc.property(someRule, fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }), (rule, chosen) => {
        const ways = waysOf(rule)
        const hit = ways.filter((_, at) => chosen[at])
        const wanted = hit.length === ways.length ? 'all' : hit.length > 0 ? 'part' : 'none'
        assert.equal(extentOf(rule, hit), wanted)
      }),
    )
  })

  it('is that of each protocol if the packets may go to any destination', () => {
    fc.assert(
      fc.property(someRule, (rule) => {
        const any = transportsOf(rule).map((protocol) => ({ protocol, to: null }))
        assert.equal(extentOf(rule, any), 'all')
        assert.equal(extentOf(rule, any.slice(1)), any.length > 1 ? 'part' : 'none')
      }),
    )
  })
})
