// What changes of relay rules do to traffic that is under way: nothing, but to the rules that they concern.
import assert from 'node:assert/strict'
import type { RelayRule } from '@panel/shared/model/ruleset.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import { exampleRule } from '../support/example-rule.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RelayRig, SERVERS } from './relay-rig.ts'

const [ONE] = SERVERS
const rule = (route_rule_id: number, fields: Partial<RelayRule> = {}): RelayRule =>
  exampleRule({ route_rule_id, sort_order: route_rule_id, bind_address: RELAY, bind_port: 1000 + route_rule_id, destinations: [{ address: ONE, port: 80, port_range_end: null, weight: 1 }], ...fields })
const tcp = (port: number): Place => ({ protocol: 'tcp', address: RELAY, port })
const udp = (port: number): Place => ({ protocol: 'udp', address: RELAY, port })
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('A change of relay rules, while packets flow', function () {
  this.timeout(120_000)
  const rig = new RelayRig()
  before(async () => {
    await rig.open()
    await Promise.all(([['tcp', 80], ['udp', 90]] as const).map(([protocol, port]) => rig.servers.calls.listen({ protocol, address: ONE, port })))
  })
  after(() => rig.close())

  it('loses no byte against the receiver’s own count and no connection, a hundred times over', async () => {
    const counted = rule(1, { protocol: 'udp', destinations: [{ address: ONE, port: 90, port_range_end: null, weight: 1 }] })
    const connected = rule(2)
    const others = Array.from({ length: 50 }, (_, i) => rule(100 + i))
    const changing = (turn: number): RelayRule[] => [rule(3, { bind_port: 2000 + turn }), rule(4, { bind_port: 3000, balance: turn % 2 ? 'round_robin' : 'none', destinations: SERVERS.map((address) => ({ address, port: 80, port_range_end: null, weight: 1 })) })]
    await rig.become(counted, connected, ...others, ...changing(0))
    await rig.client.calls.hold('before', tcp(1002))
    const before = (await rig.servers.calls.received())['udp 90'] ?? 0
    await rig.client.calls.startFlood(udp(1001), tcp(1002))
    for (let turn = 1; turn <= 100; turn += 1) {
      // Now and then the rule that counts is rewritten too, and comes and goes in the order.
      const same = turn % 10 === 0
      const [was, is] = [{ ...counted, sort_order: turn <= 10 ? 1 : turn - 10 }, { ...counted, sort_order: turn }]
      const { outcome, failure } = await rig.apply([...changing(turn - 1), ...(same ? [was] : [])], [...changing(turn), ...(same ? [is] : [])])
      assert.equal(outcome, 'applied', failure?.message)
    }
    const sent = await rig.client.calls.stopFlood()
    await pause(300)
    const received = await rig.servers.calls.received()
    assert.ok(sent && sent.datagrams > 1000 && sent.connections > 50, JSON.stringify(sent))
    assert.deepEqual([sent.failed, received['udp 90 datagrams']], [0, sent.datagrams])
    const { tx_bytes, tx_packets } = await rig.counted(1)
    assert.deepEqual([tx_packets, tx_bytes], [sent.datagrams, (received['udp 90'] ?? 0) - before + 28 * sent.datagrams])
    assert.equal(await rig.client.calls.say('before'), true)
    console.log(`      ${sent.datagrams} datagrams, ${sent.connections} connections, the slowest in ${sent.slowest_ms.toFixed(0)} ms`)
  })

  it('reads the last bytes of a rule that goes while it carries traffic', async () => {
    const going = rule(1, { protocol: 'udp', destinations: [{ address: ONE, port: 90, port_range_end: null, weight: 1 }] })
    await rig.become(rule(2))
    for (let turn = 0; turn < 5; turn += 1) {
      await rig.apply([], [going])
      await rig.client.calls.startFlood(udp(1001), tcp(1002))
      await pause(200)
      const sampled = await rig.counted(1)
      const { outcome, last_counters } = await rig.apply([going], [])
      await rig.client.calls.stopFlood()
      const [last] = last_counters
      assert.deepEqual([outcome, last_counters.length], ['applied', 1])
      assert.ok(last && last.tx_packets > sampled.tx_packets && last.tx_bytes === 528 * last.tx_packets, JSON.stringify(last))
    }
    assert.deepEqual((await rig.held()).rules, [rule(2)])
    assert.deepEqual((await askOnce(rig.socket, 'ruleset.counters', { route_rule_ids: [], from_id: 0 })).counters.map(({ route_rule_id }) => route_rule_id), [2])
  })

  it('does not disturb the connections of other rules, nor the tables of others', async () => {
    rig.relay.nft('table inet theirs {\n counter mine { }\n chain forward { type filter hook forward priority 5;\n ip daddr 10.9.0.99 drop\n }\n}\n')
    const theirs = (): string => rig.relay.run('nft', ['list', 'table', 'inet', 'theirs'])
    const before = theirs()
    await rig.become(rule(2), rule(5))
    await rig.client.calls.hold('kept', tcp(1002))
    await rig.become(rule(2), rule(6, { bind_address: '0.0.0.0', bind_port: 1000, bind_port_range_end: 1001, destinations: [{ address: ONE, port: 80, port_range_end: null, weight: 1 }] }))
    assert.equal(await rig.client.calls.say('kept'), true)
    await rig.become(rule(2, { sort_order: 9, is_logging_enabled: true }))
    assert.equal(await rig.client.calls.say('kept'), true)
    await rig.become()
    // The table stays, empty, while there are flows: without it the kernel would stop translating them.
    assert.equal(await rig.client.calls.say('kept'), true)
    assert.equal(theirs(), before)
  })

  it('sets right what somebody planted in our table where it stands in the way', async () => {
    await rig.become(rule(2))
    rig.relay.nft('add map inet panel from4_7 { type mark : mark; }\nadd chain inet panel holding\nadd rule inet panel holding meta mark set ct mark map @from4_7\n')
    assert.equal((await rig.apply([], [rule(7, { allowed_sources: ['10.0.0.0/8'] })])).outcome, 'applied')
    const { rules, damaged, unmanaged } = await rig.held()
    assert.deepEqual([rules.map(({ route_rule_id }) => route_rule_id), damaged, unmanaged], [[2, 7], [], []])
    assert.equal((await rig.client.calls.talk(tcp(1002)))?.server, `${ONE} 80`)
  })

  it('outlives the table, the helper and the ruleset of the whole host', async () => {
    await rig.become(rule(2), rule(5))
    const { epoch } = await askOnce(rig.socket, 'ruleset.counters', { route_rule_ids: [], from_id: 0 })
    rig.relay.run('nft', ['flush', 'ruleset'])
    const gone = await rig.held()
    assert.deepEqual([gone.is_present, gone.rules, gone.damaged.map(({ route_rule_id }) => route_rule_id)], [false, [], [2, 5]])
    assert.equal(await rig.client.calls.talk(tcp(1002)), null)
    await askOnce(rig.socket, 'ruleset.forget', { route_rule_ids: [5] })
    const { rules, damaged } = await rig.held()
    assert.deepEqual([rules, damaged], [[rule(2)], []])
    assert.equal((await rig.client.calls.talk(tcp(1002)))?.server, `${ONE} 80`)
    assert.notEqual((await askOnce(rig.socket, 'ruleset.counters', { route_rule_ids: [], from_id: 0 })).epoch, epoch)
    rig.relay.run('nft', ['flush', 'ruleset'])
    await rig.restartHelper()
    assert.deepEqual((await rig.held()).rules, [rule(2)])
    assert.equal((await rig.client.calls.talk(tcp(1002)))?.server, `${ONE} 80`)
  })
})
