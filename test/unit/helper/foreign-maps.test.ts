// What is read of verdict maps, sets and negations in the rules of other software, as nft 1.0.6 reports them in JSON.
import assert from 'node:assert/strict'
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import { readForeign } from '@panel/shared/foreign/read.ts'
import { METHODS } from '@panel/shared/rpc/methods.ts'
import { Ajv } from 'ajv'
import { reading, verdict } from '../../support/relay-verdict.ts'

const FORWARD = { family: 'inet', table: 't', chain: 'forward' }
const chain = (name: string, more: object = {}): object => ({ chain: { family: 'inet', table: 't', name, ...more } })
const rule = (of: string, ...expr: object[]): object => ({ rule: { ...FORWARD, chain: of, handle: 1, expr } })
const match = (left: object, right: unknown, op = '=='): object => ({ match: { op, left, right } })
const vmap = (key: object, data: unknown): object => ({ vmap: { key, data } })
const concat = (...parts: unknown[]): object => ({ concat: parts })
const [STATE, IIF, OIF] = [{ ct: { key: 'state' } }, { meta: { key: 'iifname' } }, { meta: { key: 'oifname' } }]
const [L4, PORT] = [{ meta: { key: 'l4proto' } }, { payload: { protocol: 'th', field: 'dport' } }]
const SOURCE = { payload: { protocol: 'ip', field: 'saddr' } }
const [ACCEPT, DROP] = [{ accept: null }, { drop: null }]
const jump = (target: string): object => ({ jump: { target } })

const NAMED = [
  {
    map: {
      ...FORWARD,
      name: 'way',
      type: 'ifname',
      map: 'verdict',
      elem: [
        ['lo', ACCEPT],
        ['wan', jump('wan')],
      ],
    },
  },
  { map: { ...FORWARD, name: 'live', type: 'ifname', map: 'verdict', flags: ['dynamic'], elem: [['lo', ACCEPT]] } },
  { set: { ...FORWARD, name: 'empty', type: 'ipv4_addr' } },
  { set: { ...FORWARD, name: 'noted', type: 'ipv4_addr', elem: [{ elem: { val: '10.0.0.1', comment: 'a' } }] } },
  { set: { ...FORWARD, name: 'banned', type: 'ipv4_addr', flags: ['timeout'], elem: ['10.0.0.1'] } },
]

function listing(policy: 'accept' | 'drop', ...objects: object[]): ForeignFound {
  const base = chain('forward', { type: 'filter', hook: 'forward', prio: 0, policy })
  return readForeign(JSON.stringify({ nftables: [base, chain('wan'), chain('drops'), ...NAMED, ...objects] }), '')
}
const read = (...expr: object[]): string =>
  reading(listing('accept', rule('forward', ...expr)).rules.find(({ chain: of }) => of === 'forward') ?? assert.fail())

describe('A verdict map of other software', () => {
  it('is read as the rules that it stands for, by state, interface, protocol, port and pairs of these', () => {
    const states = [
      ['invalid', DROP],
      ['established', ACCEPT],
      ['related', ACCEPT],
    ]
    const cases: [object, string][] = [
      [vmap(STATE, { set: states }), 'ct=invalid drop | ct=established accept | ct=related accept'],
      [
        vmap(IIF, {
          set: [
            ['lo', ACCEPT],
            ['e*', jump('wan')],
          ],
        }),
        'in_interface=lo accept | in_interface=e* jump wan',
      ],
      [vmap(IIF, '@way'), 'in_interface=lo accept | in_interface=wan jump wan'],
      [
        vmap(concat(L4, PORT), {
          set: [
            [concat('tcp', { range: [80, 90] }), DROP],
            [concat('udp', 53), { goto: { target: 'wan' } }],
          ],
        }),
        'protocol=tcp destination_port=80-90 drop | protocol=udp destination_port=53 goto wan',
      ],
      [vmap(concat(IIF, OIF), { set: [[concat('a', 'b'), ACCEPT]] }), 'in_interface=a out_interface=b accept'],
      [
        vmap(SOURCE, {
          set: [
            ['*', DROP],
            [{ prefix: { addr: '10.0.0.0', len: 8 } }, { continue: null }],
          ],
        }),
        'family=ip source=10.0.0.0/8 none | drop',
      ],
      [
        match(concat(L4, PORT), { set: [concat('tcp', 22), concat('udp', 53)] }),
        'protocol=tcp destination_port=22 none | protocol=udp destination_port=53 none',
      ],
    ]
    for (const [statement, line] of cases) assert.equal(read(statement), line)
    assert.equal(
      read(match(IIF, 'a'), vmap(PORT, { set: [[22, ACCEPT]] })),
      'in_interface=a destination_port=22 accept',
    )
  })

  it('may do anything if it is by what is not modelled, changes by itself, or leads to what is not known', () => {
    const cases = [
      vmap({ meta: { key: 'length' } }, { set: [[40, DROP]] }),
      vmap(concat(IIF, { meta: { key: 'length' } }), { set: [[concat('a', 40), DROP]] }),
      vmap(IIF, '@live'),
      vmap(IIF, '@missing'),
      vmap(IIF, { set: [['lo', { queue: null }]] }),
      vmap(PORT, { set: Array.from({ length: 65 }, (_, port) => [port, DROP]) }),
    ]
    for (const statement of cases) assert.equal(read(statement), 'other ?')
  })

  it('decides by its first match, and after a jump the next rule is met and not its next element', () => {
    const to = (...pairs: unknown[]) =>
      listing('accept', rule('drops', DROP), rule('forward', vmap(IIF, { set: pairs })))
    assert.match(verdict(to(['eth0', jump('drops')])), /^sure: inet t, drops: /)
    assert.match(verdict(to(['eth0', jump('wan')], ['*', DROP])), /^sure/, 'the reply is of another interface')
    assert.equal(verdict(to(['eth0', jump('wan')], ['gre-a-1', ACCEPT], ['*', DROP])), 'clear')
  })

  it('leads to chains that are met, also by name', () => {
    const named = listing('accept', rule('wan', DROP), rule('forward', vmap(OIF, '@way')))
    assert.deepEqual(named.rules.map(({ chain: of }) => of).sort(), ['forward', 'wan'])
  })

  it('is part of what the method that reports it may answer', () => {
    const validate = new Ajv({ strict: false }).compile(METHODS['netfilter.probe'].result)
    const found = listing('drop', rule('forward', vmap(SOURCE, { set: [['*', DROP]] }), { notrack: null }))
    assert.ok(validate(found), JSON.stringify(validate.errors))
  })
})

describe('The conditions of other software', () => {
  it('are read with "not", as sets, as bounds, and with what they imply', () => {
    const dport = { payload: { protocol: 'tcp', field: 'dport' } }
    const cases: [object, string][] = [
      [match(STATE, ['established', 'related'], 'in'), 'ct=established,related none'],
      [match(STATE, 'established', '!='), 'ct!=established none'],
      [match(STATE, { set: ['established', 'related'] }, '!='), 'ct!=established,related none'],
      // A packet has one state, which is never several.
      [match(STATE, { '|': ['established', 'related'] }, '!='), 'none'],
      [match(dport, { set: [22, { range: [80, 90] }] }, '!='), 'protocol=tcp destination_port!=22,80-90 none'],
      [match(dport, 1024, '>='), 'protocol=tcp destination_port=1024-65535 none'],
      [match(dport, 1024, '<'), 'protocol=tcp destination_port=0-1023 none'],
      [match({ payload: { protocol: 'udp', field: 'sport' } }, 53), 'protocol=udp source_port=53 none'],
      [match(SOURCE, { prefix: { addr: '10.0.0.0', len: 8 } }), 'family=ip source=10.0.0.0/8 none'],
      [match(SOURCE, { range: ['10.0.0.1', '10.0.0.9'] }, '!='), 'family=ip source!=10.0.0.1-10.0.0.9 none'],
      [match(SOURCE, '@noted'), 'family=ip source=10.0.0.1 none'],
      [match(SOURCE, '@empty'), 'family=ip source= none'],
      [match(SOURCE, '@banned'), 'family=ip none ?'],
      [match({ ct: { key: 'status' } }, 'dnat', 'in'), 'ct=dnat none'],
      [match({ ct: { key: 'status' } }, 'assured', 'in'), 'none ?'],
      [match({ ct: { key: 'direction' } }, 'reply'), 'direction=reply none'],
      [match({ ct: { key: 'proto-dst', dir: 'original' } }, 443), 'original_port=443 none'],
      [match({ ct: { key: 'proto-dst', dir: 'reply' } }, 443), 'none ?'],
      [match({ ct: { key: 'ip daddr', dir: 'original' } }, '192.0.2.1'), 'original_destination=192.0.2.1 none'],
      [match({ '&': [{ meta: { key: 'mark' } }, 16384] }, 16384), 'mark=16384 none'],
      [match({ fib: { result: 'type', flags: ['saddr'] } }, 'local', '!='), 'source_type!=local none'],
      [match({ fib: { result: 'oif', flags: ['saddr', 'iif'] } }, false), 'none ?'],
      [match({ payload: { protocol: 'icmp', field: 'type' } }, 'echo-request'), 'protocol=icmp none ?'],
      [
        match({ '&': [{ payload: { protocol: 'tcp', field: 'flags' } }, ['fin', 'syn']] }, ['fin']),
        'protocol=tcp none ?',
      ],
    ]
    for (const [statement, line] of cases) assert.equal(read(statement), line, JSON.stringify(statement))
  })

  it('are beyond what is read if a listing has more values than an answer has room for', () => {
    const many = match(PORT, { set: Array.from({ length: 256 }, (_, port) => 2 * port) })
    const found = listing('accept', ...Array.from({ length: 100 }, () => rule('forward', many, ACCEPT)))
    assert.ok(found.rules[0]?.is_whole)
    assert.equal(reading(found.rules[99] ?? assert.fail()), 'other ?')
    assert.match(read(match(PORT, { set: Array.from({ length: 257 }, (_, port) => 2 * port) }), DROP), /^drop \?$/)
  })
})

describe('A packet before it is tracked', () => {
  const early = (priority: number, ...expr: object[]): string =>
    verdict(
      readForeign(
        JSON.stringify({
          nftables: [
            chain('forward', { type: 'filter', hook: 'prerouting', prio: priority, policy: 'accept' }),
            rule('forward', ...expr, DROP),
          ],
        }),
        '',
      ),
    ).split(':')[0] ?? ''

  it('is invalid to a rule by states, and matches no rule by its connection', () => {
    assert.deepEqual(
      [-300, -200, -150].map((priority) => early(priority, match(STATE, 'invalid', 'in'))),
      ['sure', 'unsure', 'clear'],
    )
    assert.deepEqual(
      [-300, -200, -150].map((priority) => early(priority, match({ ct: { key: 'direction' } }, 'reply', '!='))),
      ['clear', 'unsure', 'sure'],
    )
  })

  it('is met by chains of the type filter, whose place is their priority', () => {
    const source = match(SOURCE, { prefix: { addr: '10.9.0.0', len: 24 } })
    assert.deepEqual(
      [-300, -150, -100, -50].map((priority) => early(priority, source, match(IIF, 'lo', '!='))),
      ['sure', 'sure', 'unsure', 'sure'],
    )
  })
})
