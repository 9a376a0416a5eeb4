// What changes of relay rules do to traffic that is under way: nothing, but to the rules that they concern.
import assert from 'node:assert/strict'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import type { Place } from './relay-peer.ts'
import { CLIENT, RELAY, RelayRig, ruleOfRig as rule, SERVERS } from './relay-rig.ts'

const [ONE] = SERVERS
const tcp = (port: number): Place => ({ protocol: 'tcp', address: RELAY, port })
const udp = (port: number): Place => ({ protocol: 'udp', address: RELAY, port })
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('A change of relay rules, while packets flow', function () {
  const rig = new RelayRig()
  before(async () => {
    await rig.open()
    await Promise.all(
      (
        [
          ['tcp', 80],
          ['udp', 90],
        ] as const
      ).map(([protocol, port]) => rig.servers.calls.listen({ protocol, address: ONE, port })),
    )
  })
  after(() => rig.close())

  it('loses no byte against the receiver’s own count and no connection, a hundred times over', async () => {
    const counted = rule(1, {
      protocol: 'udp',
      destinations: [{ address: ONE, port: 90, port_range_end: null, weight: 1, ...IN_ROTATION }],
    })
    const connected = rule(2)
    const others = Array.from({ length: 50 }, (_, i) => rule(100 + i))
    const changing = (turn: number): RelayRule[] => [
      rule(3, { bind_port: 2000 + turn }),
      rule(4, {
        bind_port: 3000,
        balance: turn % 2 ? 'round_robin' : 'none',
        destinations: SERVERS.map((address) => ({
          address,
          port: 80,
          port_range_end: null,
          weight: 1,
          ...IN_ROTATION,
        })),
      }),
    ]
    await rig.become(counted, connected, ...others, ...changing(0))
    await rig.client.calls.hold('before', tcp(1002))
    const before = (await rig.servers.calls.received())['udp 90'] ?? 0
    await rig.client.calls.startFlood(udp(1001), tcp(1002))
    for (let turn = 1; turn <= 100; turn += 1) {
      // Now and then the rule that counts is rewritten too, and comes and goes in the order.
      const same = turn % 10 === 0
      const [was, is] = [
        { ...counted, sort_order: turn <= 10 ? 1 : turn - 10 },
        { ...counted, sort_order: turn },
      ]
      const { outcome, failure } = await rig.apply(
        [...changing(turn - 1), ...(same ? [was] : [])],
        [...changing(turn), ...(same ? [is] : [])],
      )
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
    console.log(
      `      ${sent.datagrams} datagrams, ${sent.connections} connections, the slowest in ${sent.slowest_ms.toFixed(0)} ms`,
    )
  })

  it('reads the last bytes of a rule that goes while it carries traffic', async () => {
    const going = rule(1, {
      protocol: 'udp',
      destinations: [{ address: ONE, port: 90, port_range_end: null, weight: 1, ...IN_ROTATION }],
    })
    await rig.become(rule(2))
    let after = 0
    for (let turn = 0; turn < 5; turn += 1) {
      await rig.apply([], [going])
      await rig.client.calls.startFlood(udp(1001), tcp(1002))
      await pause(200)
      const sampled = await rig.counted(1)
      const { outcome, last_counters } = await rig.apply([going], [])
      await rig.client.calls.stopFlood()
      const [last] = last_counters
      assert.deepEqual([outcome, last_counters.length], ['applied', 1])
      assert.ok(
        last && last.tx_packets >= sampled.tx_packets && last.tx_bytes === 528 * last.tx_packets,
        JSON.stringify(last),
      )
      after += last.tx_packets - sampled.tx_packets
    }
    // It may go so soon after the sample that nothing came in between, but not each time.
    assert.ok(after > 0)
    assert.deepEqual((await rig.held()).rules, [rule(2)])
    assert.deepEqual(
      (await askOnce(rig.socket, 'ruleset.counters', { route_rule_ids: [], from_id: 0 })).counters.map(
        ({ route_rule_id }) => route_rule_id,
      ),
      [2],
    )
  })

  it('does not disturb the connections of other rules, nor foreign tables', async () => {
    rig.relay.nft(
      'table inet theirs {\n counter mine { }\n chain forward { type filter hook forward priority 5;\n ip daddr 10.9.0.99 drop\n }\n}\n',
    )
    const theirs = (): string => rig.relay.run('nft', ['list', 'table', 'inet', 'theirs'])
    const before = theirs()
    await rig.become(rule(2), rule(5))
    await rig.client.calls.hold('kept', tcp(1002))
    await rig.become(
      rule(2),
      rule(6, {
        bind_address: '0.0.0.0',
        bind_port: 1000,
        bind_port_range_end: 1001,
        destinations: [{ address: ONE, port: 80, port_range_end: null, weight: 1, ...IN_ROTATION }],
      }),
    )
    assert.equal(await rig.client.calls.say('kept'), true)
    await rig.become(rule(2, { sort_order: 9, is_logging_enabled: true }))
    assert.equal(await rig.client.calls.say('kept'), true)
    await rig.become()
    // The table stays, empty, while there are flows: without it the kernel would stop translating them.
    assert.equal(await rig.client.calls.say('kept'), true)
    assert.equal(theirs(), before)
  })

  it('can end the connections of a rule, of one destination of it alone, and says how many', async () => {
    const look = (route_rule_ids: number[], limit = 10) =>
      askOnce(rig.socket, 'ruleset.connections', { route_rule_ids, limit })
    rig.relay.run('sh', [
      '-c',
      'echo 1 > /proc/sys/net/netfilter/nf_conntrack_acct; echo 1 > /proc/sys/net/netfilter/nf_conntrack_timestamp',
    ])
    await rig.servers.calls.listen({ protocol: 'tcp', address: SERVERS[1], port: 80 })
    await rig.become(
      rule(21),
      rule(22, {
        destinations: [ONE, SERVERS[1]].map((address) => ({
          address,
          port: 80,
          port_range_end: null,
          weight: 1,
          ...IN_ROTATION,
        })),
        balance: 'round_robin',
      }),
    )
    for (const name of ['a', 'b', 'c']) await rig.client.calls.hold(name, tcp(name === 'a' ? 1021 : 1022))
    const { is_readable, connections, totals, sources } = await look([21])
    const [one] = connections
    assert.deepEqual(
      [is_readable, connections.length, totals, sources],
      [true, 1, [{ route_rule_id: 21, connections: 1 }], [{ source_address: CLIENT, connections: 1 }]],
    )
    assert.deepEqual(
      [
        one?.protocol,
        one?.source_address,
        one?.bind_address,
        one?.bind_port,
        one?.destination_address,
        one?.destination_port,
        one?.state,
        one?.mark,
      ],
      ['tcp', CLIENT, RELAY, 1021, ONE, 80, 'ESTABLISHED', 0x50001500],
    )
    assert.ok(
      one &&
        (one.tx_packets ?? 0) >= 2 &&
        (one.rx_bytes ?? 0) > 100 &&
        one.age_seconds !== null &&
        one.age_seconds < 5 &&
        one.timeout_seconds > 100,
    )
    const all = await look([], 0)
    assert.deepEqual(
      [all.totals.filter(({ route_rule_id }) => route_rule_id > 20), all.connections, all.sources],
      [
        [
          { route_rule_id: 21, connections: 1 },
          { route_rule_id: 22, connections: 2 },
        ],
        [],
        [],
      ],
    )
    const ends = (await look([22], 1)).destinations
    assert.deepEqual(
      ends.map((end) => `${end.destination_address} ${end.destination_port}: ${end.connections}`).sort(),
      [`${ONE} 80: 1`, `${SERVERS[1]} 80: 1`],
    )
    assert.deepEqual(
      await askOnce(rig.socket, 'ruleset.disconnect', {
        route_rule_ids: [22],
        destinations: [{ address: SERVERS[1], port: 80 }],
      }),
      { dropped: 1 },
    )
    assert.deepEqual(
      (await look([22])).connections.map(({ destination_address }) => destination_address),
      [ONE],
    )
    assert.deepEqual(await askOnce(rig.socket, 'ruleset.disconnect', { route_rule_ids: [21], destinations: [] }), {
      dropped: 1,
    })
    assert.deepEqual(await askOnce(rig.socket, 'ruleset.disconnect', { route_rule_ids: [], destinations: [] }), {
      dropped: 0,
    })
    assert.deepEqual((await look([21, 22])).totals, [{ route_rule_id: 22, connections: 1 }])
    // While its rule stands, the next packet of a dropped connection would be taken for a new one and relayed again.
    await rig.become(rule(22))
    assert.equal(await rig.client.calls.say('a'), false)
    await rig.client.calls.release()
  })

  it('leaves the count of the connections that begin exact, for each rule', async () => {
    const flows = () => askOnce(rig.socket, 'ruleset.flows', {})
    const of = (
      { flows: all }: Awaited<ReturnType<typeof flows>>,
      id: number,
    ): { connections: number; begun: number } =>
      all.find(({ route_rule_id }) => route_rule_id === id) ?? { connections: 0, begun: 0 }
    await rig.become(rule(31), rule(32))
    const first = await flows()
    for (let i = 0; i < 20; i += 1) assert.ok(await rig.client.calls.talk(tcp(1031)))
    await rig.become(rule(31, { sort_order: 99 }), rule(32), rule(33))
    assert.ok(await rig.client.calls.talk(tcp(1032)))
    const second = await flows()
    assert.ok(await rig.client.calls.talk(tcp(1031)))
    const third = await flows()
    assert.deepEqual(
      [first, second, third].map(({ is_readable, epoch }) => [is_readable, epoch]),
      Array(3).fill([true, first.epoch]),
    )
    assert.deepEqual(
      [of(first, 31), of(second, 31).begun, of(second, 32).begun, of(third, 31).begun, of(third, 32).begun],
      [{ connections: 0, begun: 0 }, 20, 1, 21, 1],
    )
  })

  it('can end the connections of an IPv6 rule too', async () => {
    await rig.servers.calls.listen({ protocol: 'tcp', address: 'fd09::2', port: 80 })
    await rig.become(
      rule(23, {
        bind_address: 'fd01::1',
        destinations: [{ address: 'fd09::2', port: 80, port_range_end: null, weight: 1, ...IN_ROTATION }],
      }),
    )
    await rig.client.calls.hold('six', { protocol: 'tcp', address: 'fd01::1', port: 1023 })
    const { connections } = await askOnce(rig.socket, 'ruleset.connections', { route_rule_ids: [23], limit: 10 })
    assert.deepEqual(
      connections.map(({ source_address, destination_address }) => [source_address, destination_address]),
      [['fd01::2', 'fd09::2']],
    )
    assert.deepEqual(await askOnce(rig.socket, 'ruleset.disconnect', { route_rule_ids: [23], destinations: [] }), {
      dropped: 1,
    })
    await rig.client.calls.release()
  })

  it('sets right what was planted in our table where it stands in the way', async () => {
    await rig.become(rule(2))
    rig.relay.nft(
      'add map inet panel from4_7 { type mark : mark; }\nadd chain inet panel holding\nadd rule inet panel holding meta mark set ct mark map @from4_7\n',
    )
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
    assert.deepEqual(
      [gone.is_present, gone.rules, gone.damaged.map(({ route_rule_id }) => route_rule_id)],
      [false, [], [2, 5]],
    )
    assert.equal(await rig.client.calls.talk(tcp(1002)), null)
    await askOnce(rig.socket, 'ruleset.forget', { route_rule_ids: [5] })
    const forgotten = await rig.held()
    assert.deepEqual([forgotten.rules, forgotten.damaged.map(({ route_rule_id }) => route_rule_id)], [[], [2]])
    await rig.become(rule(2))
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
