// Laws of what is found of other software's rules, over random listings and random relay rules.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import { readForeign } from '@panel/shared/foreign/read.ts'
import { relayBlocksIn } from '@panel/shared/foreign/relay-block.ts'
import { untrackersIn } from '@panel/shared/foreign/untracked.ts'
import { relayRules } from '../../support/random-rules.ts'
import { AROUND } from '../../support/relay-verdict.ts'

type Expression = object[]

const CHAINS = [
  { name: 'raw', hook: 'prerouting', prio: -300 },
  { name: 'early', hook: 'prerouting', prio: -150 },
  { name: 'late', hook: 'prerouting', prio: -50 },
  { name: 'forward', hook: 'forward', prio: 0 },
  { name: 'input', hook: 'input', prio: 0 },
  { name: 'output', hook: 'output', prio: 0 },
  { name: 'post', hook: 'postrouting', prio: 150 },
] as const

const subjects = [
  [
    { payload: { protocol: 'ip', field: 'saddr' } },
    ['10.9.0.2', { prefix: { addr: '10.0.0.0', len: 8 } }, '198.51.100.7'],
  ],
  [{ payload: { protocol: 'ip6', field: 'daddr' } }, ['fd09::2', { prefix: { addr: 'fd00::', len: 8 } }]],
  [{ payload: { protocol: 'ip', field: 'daddr' } }, ['192.0.2.1', '10.9.0.3', { range: ['10.9.0.2', '10.9.0.3'] }]],
  [{ payload: { protocol: 'tcp', field: 'dport' } }, [80, 1001, { range: [1005, 2000] }]],
  [{ payload: { protocol: 'th', field: 'sport' } }, [80, 81, { range: [1024, 65_535] }]],
  [{ ct: { key: 'state' } }, ['new', 'established', 'invalid']],
  [{ ct: { key: 'proto-dst', dir: 'original' } }, [1001, 1002]],
  [{ meta: { key: 'l4proto' } }, ['tcp', 'udp']],
  [{ meta: { key: 'iifname' } }, ['eth0', 'gre-a-1', 'lo', 'e*']],
  [{ meta: { key: 'mark' } }, [0, 1]],
  [{ fib: { result: 'type', flags: ['saddr'] } }, ['local', 'unicast', 'broadcast']],
  [{ fib: { result: 'type', flags: ['daddr'] } }, ['local', 'unicast', 'broadcast']],
] as const

const conditions = fc
  .constantFrom(...subjects)
  .chain(([left, values]) =>
    fc.record({
      op: fc.constantFrom('==', '!='),
      values: fc.subarray<unknown>([...values], { minLength: 1 }),
      left: fc.constant(left),
    }),
  )
  .map(({ op, values, left }) => ({ match: { op, left, right: { set: values } } }))

const ends = fc.constantFrom<object>(
  ...[{ accept: null }, { drop: null }, { return: null }, { jump: { target: 'more' } }, { goto: { target: 'more' } }],
  ...[{ notrack: null }, { counter: null }, { queue: null }, { mangle: { key: { meta: { key: 'mark' } }, value: 1 } }],
)
const expressions: fc.Arbitrary<Expression> = fc
  .tuple(fc.array(fc.oneof({ weight: 6, arbitrary: conditions }, fc.constant({ limit: {} })), { maxLength: 2 }), ends)
  .map(([all, end]) => [...all, end])
const listings = fc.record({
  rules: fc.array(fc.tuple(fc.constantFrom(...CHAINS.map(({ name }) => name), 'more'), expressions), { maxLength: 12 }),
  dropping: fc.subarray(CHAINS.map(({ name }) => name as string)),
})

function foreign({ rules, dropping }: { rules: [string, Expression][]; dropping: string[] }): ForeignFound {
  const place = { family: 'inet', table: 't' }
  const nftables = [
    ...CHAINS.map((chain) => ({
      chain: { ...place, ...chain, type: 'filter', policy: dropping.includes(chain.name) ? 'drop' : 'accept' },
    })),
    { chain: { ...place, name: 'more' } },
    ...rules.map(([chain, expr], at) => ({ rule: { ...place, chain, handle: at + 1, expr } })),
  ]
  return readForeign(JSON.stringify({ nftables }), '')
}

describe('What is found of other software', () => {
  it('of a rule is the same whichever rules were looked at before it', () => {
    fc.assert(
      fc.property(listings, relayRules, (listed, rules) => {
        const found = foreign(listed)
        const [blocks, untracked] = [relayBlocksIn(found), untrackersIn(found)]
        for (const rule of rules) {
          assert.deepEqual(blocks?.(rule, AROUND), relayBlocksIn(found)?.(rule, AROUND))
          assert.deepEqual(untracked(rule, AROUND), untrackersIn(found)(rule, AROUND))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('drops nothing if every chain begins with an accept of everything', () => {
    fc.assert(
      fc.property(listings, relayRules, ({ rules, dropping }, relays) => {
        const first = CHAINS.map(({ name }): [string, Expression] => [name, [{ accept: null }]])
        const blocks = relayBlocksIn(foreign({ rules: [...first, ...rules], dropping }))
        for (const rule of relays) assert.deepEqual(blocks?.(rule, AROUND) ?? [], [])
      }),
    )
  })

  it('is never certain of a rule behind something that may let it through, nor of a listing that is not whole', () => {
    fc.assert(
      fc.property(listings, relayRules, ({ rules, dropping }, relays) => {
        const maybe = CHAINS.map(({ name }): [string, Expression] => [name, [{ limit: {} }, { accept: null }]])
        const part = { ...foreign({ rules, dropping }), is_whole: false }
        for (const found of [foreign({ rules: [...maybe, ...rules], dropping }), part])
          for (const rule of relays)
            for (const one of [...(relayBlocksIn(found)?.(rule, AROUND) ?? []), ...untrackersIn(found)(rule, AROUND)])
              assert.equal(one.is_certain, false, one.text)
      }),
    )
  })
})
