// What is read of the rules that iptables made, as nft lists them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readForeign } from '@panel/shared/foreign/read.ts'
import { AROUND, blockOf, reading, relay, relayTo, verdict } from '../../support/relay-verdict.ts'

/** Rules that iptables 1.8.9 made (its nftables variant), as nft 1.0.6 lists them: test/support/captured-iptables.*. */
describe('The rules of iptables', () => {
  const found = readForeign(
    readFileSync(join(import.meta.dirname, '../../support/captured-iptables.json'), 'utf8'),
    readFileSync(join(import.meta.dirname, '../../support/captured-iptables.txt'), 'utf8'),
  )
  const read = (part: string): string =>
    reading(found.rules.find(({ text }) => text.includes(part)) ?? assert.fail(part))

  it('are understood where they ask for the state of a connection, with and without "not"', () => {
    assert.equal(read('ct state related,established'), 'ct=related,established accept')
    assert.equal(read('ct state new udp dport 53'), 'protocol=udp ct=new protocol=udp destination_port=53 accept')
    assert.equal(read('10.9.8.0/24 ct state ! invalid'), 'family=ip destination=10.9.8.0/24 ct!=invalid accept')
  })

  it('are understood with a comment, whatever it says, several ports, and what only logs', () => {
    assert.equal(
      read('dport { 80, 443, 1000-2000 }'),
      'protocol=tcp protocol=tcp destination_port=80,443,1000-2000 accept',
    )
    assert.equal(read('log prefix "accept "'), 'family=ip destination=10.9.9.0/24 ct!=invalid none')
    assert.equal(read('tcp option maxseg'), 'none ?')
  })

  it('are understood with the type of an address, ranges, marks and what a connection was sent to', () => {
    for (const [part, line] of [
      ['fib daddr type local counter', 'destination_type=local return'],
      ['meta mark &', 'mark=65536 accept'],
      ['10.9.0.1-10.9.0.9', 'family=ip destination=10.9.0.1-10.9.0.9 drop'],
      ['ct original proto-dst', 'ct=new original_port=80 drop'],
      ['dnat to 172.17.0.2', 'protocol=tcp destination_type=local protocol=tcp destination_port=8080 translate'],
    ] as const)
      assert.equal(read(part), line)
  })

  it('are unsure if they depend on what is not listed here', () => {
    for (const part of ['xt match physdev', 'xt match connlimit', 'limit rate']) assert.match(read(part), / \?$/, part)
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
