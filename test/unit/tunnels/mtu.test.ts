// What MTU a tunnel is advised and given (decisions.md, R7, R19).
import assert from 'node:assert/strict'
import { parseIp } from '@panel/shared/address/ip.ts'
import { adviseMtu, checkMtuForIpv6, draftMtu, findUnderlay } from '@panel/web-daemon/features/tunnels/draft/mtu.ts'
import type { MtuAdvice } from '@panel/shared/api/tunnels/answers.ts'
import { device, facts, problemsOf, route, sketch, warningsOf } from './draft-context.ts'

type Requested = Parameters<typeof adviseMtu> extends [...infer A, number] ? A : never

const KEYS = { ikey: 1, okey: 1 }
const NO_KEYS = { ikey: null, okey: null }
const ETHERNET = { device: 'eth0', mtu: 1500 }
const advise = (...request: Requested): MtuAdvice => adviseMtu(...request, 1472)
const remote = parseIp('198.51.100.7')

describe('The MTU of a tunnel', () => {
  it('is 1472 for GRE over IPv4 with a key on a path of 1500: the overhead is 28', () => {
    const advice = advise('gre', {}, KEYS, ETHERNET)
    assert.equal(advice.overhead, 28)
    assert.equal(advice.recommended, 1472)
    assert.deepEqual(advice.breakdown, [
      { name: 'ipv4', bytes: 20 },
      { name: 'gre', bytes: 4 },
      { name: 'key', bytes: 4 },
    ])
  })

  it('gives way to every option of the outer header', () => {
    assert.equal(advise('gre', {}, NO_KEYS, ETHERNET).overhead, 24)
    assert.equal(advise('gre', { has_output_checksum: true, has_input_sequence: true }, KEYS, ETHERNET).overhead, 36)
    assert.equal(advise('gretap', {}, KEYS, ETHERNET).overhead, 42)
    assert.equal(advise('ip6gre', {}, KEYS, ETHERNET).overhead, 48)
    assert.equal(advise('ip6gretap', { encap_limit: 4 }, KEYS, ETHERNET).overhead, 70)
  })

  it('falls back to 1472, or to what Ethernet leaves, where the path is not known', () => {
    assert.equal(advise('gre', {}, KEYS, null).recommended, 1472)
    assert.equal(advise('gre', {}, NO_KEYS, null).recommended, 1472)
    assert.equal(advise('gretap', {}, KEYS, null).recommended, 1458)
  })

  it('stays within 576 and 9216, whatever the path says', () => {
    assert.equal(advise('gre', {}, KEYS, { device: 'slow', mtu: 300 }).recommended, 576)
    assert.equal(advise('gre', {}, KEYS, { device: 'lo', mtu: 65536 }).recommended, 9216)
  })

  it('goes by the interface of the longest prefix, and among equals of the lowest metric', () => {
    assert(remote)
    const interfaces = [device('eth0', []), device('wan', [], 1492), device('dear', [], 9000)]
    const found = (routing_table: ReturnType<typeof route>[], bind: string | null = null) =>
      findUnderlay(facts({ interfaces, routing_table }), remote, bind)?.device
    assert.equal(found([route('0.0.0.0/0', 'eth0'), route('198.51.100.0/24', 'wan')]), 'wan')
    assert.equal(
      found([route('0.0.0.0/0', 'dear', { metric: 200 }), route('0.0.0.0/0', 'wan', { metric: 100 })]),
      'wan',
    )
    assert.equal(
      found([route('0.0.0.0/0', 'eth0'), route('198.51.100.0/24', 'wan', { table: 1000 })]),
      'eth0',
      'a table that only some rules point at is not believed',
    )
    assert.equal(found([route('0.0.0.0/0', 'eth0')], 'dear'), 'dear', 'a bind device settles it')
    assert.equal(found([]), undefined)
  })

  it('above the recommendation draws a warning that says what fits', () => {
    const draft = sketch({ mtu: 1500 })
    assert.equal(draftMtu(draft, 'gre', KEYS, remote).matches, false)
    assert.deepEqual(warningsOf(draft), ['mtu MTU_ADVISORY'])
    assert.match(draft.warnings[0]?.message ?? '', /1528.*1472 fits/)
    const careful = sketch({ mtu: 1400 })
    draftMtu(careful, 'gre', KEYS, remote)
    assert.deepEqual(warningsOf(careful), [])
  })

  it('must be 1280 at least where an address inside is IPv6', () => {
    const draft = sketch({ mtu: 1279 })
    checkMtuForIpv6(draft, 1279, [{ address: '10.0.0.1' }])
    assert.deepEqual(problemsOf(draft), [])
    checkMtuForIpv6(draft, 1279, [{ address: 'fd00::1' }])
    assert.deepEqual(problemsOf(draft), ['mtu INVALID_MTU'])
  })
})
