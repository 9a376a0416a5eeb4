// What is read of the rules that iptables made, as nft lists them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readForeign } from '@panel/shared/foreign/read.ts'
import { AROUND, blockOf, relay, relayTo, verdict } from '../../support/relay-verdict.ts'

/** Rules that iptables 1.8.9 made (its nftables variant), as nft 1.0.6 lists them: test/support/captured-iptables.*. */
describe('The rules of iptables', () => {
  const found = readForeign(
    readFileSync(join(import.meta.dirname, '../../support/captured-iptables.json'), 'utf8'),
    readFileSync(join(import.meta.dirname, '../../support/captured-iptables.txt'), 'utf8'),
  )
  const conditions = (part: string): object => {
    const rule = found.rules.find(({ text }) => text.includes(part))
    assert.ok(rule, part)
    const { table: _table, chain: _chain, manager: _manager, text: _text, target: _target, ...rest } = rule
    return Object.fromEntries(
      Object.entries(rest).filter(([key, value]) => value !== '' && value !== null && key !== 'is_ct_mark_set'),
    )
  }

  it('are understood where they ask for the state of a connection, with and without "not"', () => {
    assert.deepEqual(conditions('ct state related,established'), {
      ct: 'established',
      is_whole: true,
      verdict: 'accept',
    })
    assert.deepEqual(conditions('ct state new udp dport 53'), {
      ct: 'new',
      protocol: 'udp',
      port: 53,
      is_whole: true,
      verdict: 'accept',
    })
    assert.deepEqual(conditions('10.9.8.0/24 ct state ! invalid'), {
      ct: 'tracked',
      family: 'ip',
      address: '10.9.8.0/24',
      is_whole: true,
      verdict: 'accept',
    })
  })

  it('are understood with a comment, whatever it says, several ports, and what only logs', () => {
    assert.deepEqual(conditions('dport { 80, 443, 1000-2000 }'), {
      protocol: 'tcp',
      port: 80,
      port_end: 2000,
      is_whole: false,
      verdict: 'accept',
    })
    assert.deepEqual(conditions('log prefix "accept "'), {
      ct: 'tracked',
      family: 'ip',
      address: '10.9.9.0/24',
      is_whole: true,
      verdict: 'none',
    })
    assert.deepEqual(conditions('tcp option maxseg'), { is_whole: false, verdict: 'none' })
  })

  it('are unsure if they depend on what is not listed here', () => {
    for (const part of [
      'fib daddr type local counter',
      'meta mark &',
      '10.9.0.1-10.9.0.9',
      'xt match physdev',
      'ct original proto-dst',
      'xt match connlimit',
      'limit rate',
    ])
      assert.equal((conditions(part) as { is_whole: boolean }).is_whole, false, part)
    assert.deepEqual(conditions('ct original proto-dst'), { ct: 'new', is_whole: false, verdict: 'drop' })
    assert.deepEqual(conditions('dnat to 172.17.0.2'), {
      protocol: 'tcp',
      port: 8080,
      is_whole: false,
      verdict: 'translate',
    })
  })

  it('drop a relay surely by their policy, where the first rules let nothing of it through', () => {
    const [state, , dns] = found.rules
    const few = { ...found, rules: [state, dns].filter((rule) => rule !== undefined) }
    assert.equal(verdict(few), 'sure: ip filter, FORWARD: policy drop')
    assert.match(
      blockOf(relay(), few, AROUND)?.remedy.message ?? '',
      /iptables -I FORWARD -p tcp -d 10\.9\.0\.2 --dport 8443 -j ACCEPT/,
    )
    assert.equal(verdict(few, relayTo('10.9.0.2', 53, 'udp')), 'clear')
  })
})
