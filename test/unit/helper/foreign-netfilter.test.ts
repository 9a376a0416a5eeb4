// What is read of other software's netfilter, and which of it is seen to drop a relay; the listing is one of nft 1.0.6
// (test/support/captured-netfilter.*).
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import { findRelayBlocks, takenBy } from '@panel/shared/foreign/relay-block.ts'
import { foreignTables, readForeign } from '@panel/shared/foreign/read.ts'
import { METHODS } from '@panel/shared/rpc/methods.ts'
import { IN_ROTATION } from '@panel/shared/ruleset/model.ts'
import { Ajv } from 'ajv'
import { AROUND, blockOf, reading, relay, relayTo, verdict } from '../../support/relay-verdict.ts'

const captured = (ending: string): string =>
  readFileSync(join(import.meta.dirname, `../../support/captured-netfilter.${ending}`), 'utf8')
const FOUND = readForeign(captured('json'), captured('txt'))
const ofTables = (...tables: string[]): ForeignFound => ({
  ...FOUND,
  chains: FOUND.chains.filter(({ table }) => tables.includes(table)),
  rules: FOUND.rules.filter(({ table }) => tables.includes(table)),
})

const FORWARD = { family: 'inet', table: 't', chain: 'forward' }
/** A forward chain with these rules, as nft would list it. */
function made(policy: 'accept' | 'drop', ...rules: object[][]): ForeignFound {
  const chain = {
    chain: { family: 'inet', table: 't', name: 'forward', type: 'filter', hook: 'forward', prio: 0, policy },
  }
  return readForeign(
    JSON.stringify({ nftables: [chain, ...rules.map((expr) => ({ rule: { ...FORWARD, handle: 1, expr } }))] }),
    '',
  )
}
const match = (left: object, right: unknown, op = '=='): object => ({ match: { op, left, right } })
const port = (right: unknown, op?: string): object => match({ payload: { protocol: 'tcp', field: 'dport' } }, right, op)
const to = (right: unknown): object => match({ payload: { protocol: 'ip', field: 'daddr' } }, right)
const ESTABLISHED = match({ ct: { key: 'state' } }, ['established', 'related'], 'in')
const [ACCEPT, DROP] = [{ accept: null }, { drop: null }]

describe('The netfilter of other software', () => {
  it('is read in the words of the method that tells of it', () => {
    const validate = new Ajv({ strict: false }).compile(METHODS['netfilter.probe'].result)
    assert.ok(validate(FOUND), JSON.stringify(validate.errors))
  })

  it("names docker, ufw, firewalld, iptables and plain nft, and never the panel's own table", () => {
    assert.deepEqual(FOUND.managers, ['docker', 'ufw', 'firewalld', 'iptables', 'nftables'])
    assert.deepEqual(
      [...FOUND.chains, ...FOUND.rules].filter(({ table }) => table === 'inet panel' || table.startsWith('bridge')),
      [],
    )
    const managers = Object.fromEntries(FOUND.chains.map(({ table, chain, manager }) => [`${table} ${chain}`, manager]))
    assert.deepEqual(
      [
        managers['ip filter FORWARD'],
        managers['ip filter DOCKER-USER'],
        managers['ip filter ufw-before-input'],
        managers['inet firewalld filter_FWD'],
        managers['inet mine forward'],
      ],
      ['iptables', 'docker', 'ufw', 'firewalld', 'nftables'],
    )
  })

  it('has the text of each rule as nft prints it, and what the rule asks of a packet', () => {
    const rule = FOUND.rules.find(({ text }) => text.includes('dnat to 172.17.0.3'))
    assert.deepEqual(
      [rule?.table, rule?.chain, rule?.manager, rule && reading(rule)],
      ['ip nat', 'DOCKER', 'docker', 'family=ip destination=192.0.2.1 protocol=tcp destination_port=8443 translate'],
    )
    assert.ok(FOUND.rules.some(({ text }) => text.endsWith('accept comment "a # handle 3"')))
    assert.deepEqual(
      FOUND.rules.filter(({ text }) => text === '' || text.startsWith('?')),
      [],
    )
  })

  it('is listed by table, and one whose name cannot stand in a command is counted', () => {
    const all = [
      'ip filter',
      'inet panel',
      'inet firewalld',
      'inet panel_hold',
      'bridge b',
      'inet a; flush ruleset',
      'inet two words',
    ]
    assert.deepEqual(foreignTables(all), { tables: ['ip filter', 'inet firewalld', 'bridge b'], unnamed: 2 })
  })

  it('that is asleep is not met, and of what is too long the first part is listed', () => {
    const chain = { chain: { family: 'inet', table: 't', name: 'forward', hook: 'forward', prio: 0, policy: 'drop' } }
    assert.deepEqual(
      readForeign(
        JSON.stringify({ nftables: [{ table: { family: 'inet', name: 't', flags: ['dormant'] } }, chain] }),
        '',
      ).chains,
      [],
    )
    const long = made('accept', ...Array.from({ length: 1001 }, () => [DROP]))
    assert.deepEqual(
      [long.rules.length, long.total, long.is_whole, verdict(long).startsWith('unsure')],
      [1000, 1001, false, true],
    )
  })
})

describe('What drops a relay', () => {
  const cases: readonly [string, string, string][] = [
    ['a policy of drop that nothing comes before', verdict(made('drop')), 'sure: inet t, forward: policy drop'],
    ['a rule for its destination', verdict(made('accept', [to('10.9.0.2'), DROP])).slice(0, 5), 'sure:'],
    [
      'a rule for the network of its destination and its port',
      verdict(made('accept', [to({ prefix: { addr: '10.9.0.0', len: 24 } }), port(8443), { reject: null }])).slice(
        0,
        5,
      ),
      'sure:',
    ],
    ['not a rule for another port', verdict(made('accept', [port(8444), DROP])), 'clear'],
    [
      'not a rule for another protocol',
      verdict(made('accept', [port(8443), DROP]), relayTo('10.9.0.2', 8443, 'udp')),
      'clear',
    ],
    [
      'not a rule for another family',
      verdict(made('accept', [match({ meta: { key: 'nfproto' } }, 'ipv6'), DROP])),
      'clear',
    ],
    [
      'not a policy behind an accept that matches',
      verdict(made('drop', [port(8443), ACCEPT], [ESTABLISHED, ACCEPT])),
      'clear',
    ],
    [
      'perhaps a policy behind an accept that may match',
      verdict(made('drop', [{ limit: { rate: 1 } }, ACCEPT])),
      'unsure: inet t, forward: policy drop',
    ],
    [
      'a policy behind an accept of what is established',
      verdict(made('drop', [ESTABLISHED, ACCEPT])),
      'sure: inet t, forward: policy drop',
    ],
    [
      'not a policy behind an accept of what was translated',
      verdict(made('drop', [match({ ct: { key: 'status' } }, 'dnat', 'in'), ACCEPT])),
      'clear',
    ],
    [
      'not a policy behind an accept of its port among others',
      verdict(made('drop', [port({ set: [{ range: [8440, 8445] }, 8446] }), ACCEPT], [ESTABLISHED, ACCEPT])),
      'clear',
    ],
    [
      'not a rule for ports on both sides of its own',
      verdict(made('accept', [port({ set: [80, 9000] }), DROP])),
      'clear',
    ],
    [
      'perhaps a rule that matches now and then',
      verdict(made('accept', [{ limit: { rate: 1 } }, DROP])).slice(0, 7),
      'unsure:',
    ],
    ['perhaps an extension of iptables', verdict(made('accept', [{ xt: null }])).slice(0, 7), 'unsure:'],
    ['a rule for all ports but another', verdict(made('accept', [port(443, '!='), DROP])).slice(0, 5), 'sure:'],
    [
      "Docker's policy, where the way is known",
      verdict(ofTables('ip filter')),
      'sure: ip filter, FORWARD: policy drop',
    ],
    [
      "perhaps Docker's policy, where it is not",
      verdict(ofTables('ip filter'), relay(), { own_addresses: [], in_interface: null, out_interface: null }),
      'unsure: ip filter, FORWARD: policy drop',
    ],
    ['not firewalld, which accepts what is translated', verdict(ofTables('inet firewalld')), 'clear'],
    [
      'a plain rule among others',
      verdict(ofTables('inet mine'), relayTo('10.9.0.9', 1)),
      'sure: inet mine, forward: meta l4proto tcp ip daddr 10.9.0.9 reject with icmp port-unreachable',
    ],
    [
      'a rule for the address that it listens on, before that is translated',
      verdict(
        ofTables('inet mine'),
        relay({
          bind_port: 9999,
          destinations: [{ address: '10.8.0.1', port: 1, port_range_end: null, weight: 1, ...IN_ROTATION }],
        }),
      ).slice(0, 5),
      'sure:',
    ],
    [
      'not a forward chain where the destination is this host',
      verdict(made('drop'), relayTo('192.0.2.1', 80)),
      'clear',
    ],
  ]
  for (const [what, found, wanted] of cases) it(`is ${what}`, () => assert.equal(found, wanted))

  it('is also what drops the replies alone', () => {
    const isNew = match({ ct: { key: 'state' } }, 'new', 'in')
    const { is_reply, is_certain, remedy } = blockOf(relay(), made('drop', [isNew, ACCEPT]), AROUND) ?? assert.fail()
    assert.deepEqual([is_reply, is_certain], [true, true])
    assert.match(remedy.message, /nft insert rule inet t forward ct state established,related accept/)
    assert.equal(
      verdict(made('drop', [match({ ct: { key: 'state' } }, ['new', 'established'], 'in'), ACCEPT])),
      'clear',
    )
    assert.equal(verdict(made('drop', [port(8443), ACCEPT])), 'unsure: inet t, forward: policy drop')
  })

  it('is not let through by what lets only the other direction through', () => {
    const [there] = findRelayBlocks(relay(), made('drop'), AROUND)
    assert.deepEqual([there?.is_reply, there?.is_certain], [false, true])
    const back = findRelayBlocks(relay(), made('drop', [to('10.9.0.2'), port(8443), ACCEPT]), AROUND)
    assert.deepEqual(
      back.map(({ is_reply, is_certain, text }) => [is_reply, is_certain, text]),
      [[true, true, 'policy drop']],
    )
  })

  it('is listed in both directions at once, each remedy once, and following them all lets it through', () => {
    const two = relay({
      balance: 'round_robin',
      destinations: [
        { address: '10.9.0.2', port: 8443, port_range_end: null, weight: 1, ...IN_ROTATION },
        { address: '10.9.0.3', port: 8443, port_range_end: null, weight: 1, ...IN_ROTATION },
      ],
    })
    assert.deepEqual(
      findRelayBlocks(two, made('drop'), AROUND).map(
        ({ remedy }) => /insert rule inet t forward (.*?) accept/.exec(remedy.message)?.[1],
      ),
      ['ip daddr 10.9.0.2 tcp dport 8443', 'ct state established,related', 'ip daddr 10.9.0.3 tcp dport 8443'],
    )
    const there = [
      [to('10.9.0.3'), port(8443), ACCEPT],
      [to('10.9.0.2'), port(8443), ACCEPT],
    ]
    assert.deepEqual(
      findRelayBlocks(two, made('drop', ...there), AROUND).map(({ is_reply, is_certain }) => [is_reply, is_certain]),
      [[true, true]],
    )
    assert.deepEqual(findRelayBlocks(two, made('drop', [ESTABLISHED, ACCEPT], ...there), AROUND), [])
  })

  it('is listed with what lets it through', () => {
    const remedy = (foreign: ForeignFound): string => blockOf(relay(), foreign, AROUND)?.remedy.message ?? ''
    assert.match(remedy(made('drop')), /nft insert rule inet t forward ip daddr 10\.9\.0\.2 tcp dport 8443 accept/)
    const filter = ofTables('ip filter')
    assert.match(remedy(filter), /ufw route allow proto tcp to 10\.9\.0\.2 port 8443/)
    const withoutUfw = { ...filter, chains: filter.chains.filter(({ manager }) => manager !== 'ufw') }
    assert.match(remedy(withoutUfw), /iptables -I DOCKER-USER -p tcp -d 10\.9\.0\.2 --dport 8443 -j ACCEPT/)
    assert.match(
      remedy({ ...withoutUfw, chains: withoutUfw.chains.filter(({ manager }) => manager !== 'docker') }),
      /iptables -I FORWARD -p tcp/,
    )
    const odd = made('drop')
    assert.doesNotMatch(
      remedy({ ...odd, chains: odd.chains.map((chain) => ({ ...chain, chain: '$(reboot)' })) }),
      /reboot/,
    )
  })

  it('is no matter of a port that another program translates: that one is taken', () => {
    assert.deepEqual(
      takenBy(relay({ bind_port: 8443 }), FOUND).map(({ text }) => text),
      ['ip daddr 192.0.2.1 tcp dport 8443 dnat to 172.17.0.3'],
    )
    assert.deepEqual(
      [
        takenBy(relay({ bind_port: 8444 }), FOUND),
        takenBy(
          relay({
            bind_port: 8443,
            bind_address: '2001:db8::1',
            destinations: [{ address: 'fd00::1', port: 1, port_range_end: null, weight: 1, ...IN_ROTATION }],
          }),
          FOUND,
        ),
      ],
      [[], []],
    )
  })
})
