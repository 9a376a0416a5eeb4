// What changes do to traffic under way where iptables carries out the relay rules, and what it leaves behind when
// something else takes over.
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { eventually } from '../support/eventually.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RelayRig, ruleOfRig as rule, SERVERS } from './relay-rig.ts'

const [ONE] = SERVERS
const TURNS = 12
const place = (protocol: Place['protocol'], port: number): Place => ({ protocol, address: RELAY, port })
/** Without what IPv4 and UDP put before each. */
const HEADERS_BYTES = 28

for (const [backend, variant] of [
  ['iptables_nft', 'nft'],
  ['iptables_legacy', 'legacy'],
] as const) {
  describe(`A change of relay rules by iptables-${variant}`, function () {
    const rig = new RelayRig({ PANEL_RULE_BACKEND: backend })
    const udp = rule(1, {
      protocol: 'udp',
      destinations: [{ address: ONE, port: 90, port_range_end: null, weight: 1, ...IN_ROTATION }],
    })
    const saved = (): string =>
      ['', '6'].map((family) => rig.relay.run(`ip${family}tables-${variant}-save`, [])).join('')
    before(async () => {
      await rig.open()
      await Promise.all(
        (['tcp 80', 'udp 90'] as const).map((text) =>
          rig.servers.calls.listen({
            protocol: text.startsWith('tcp') ? 'tcp' : 'udp',
            address: ONE,
            port: Number(text.slice(4)),
          }),
        ),
      )
    })
    after(() => rig.close())

    it('loses no byte against the receiver’s own count and no connection, nor does a foreign rule', async () => {
      const changing = (turn: number): RelayRule[] => [
        rule(3, { bind_port: 2000 + turn, fwmark: turn % 2 ? 7 : null, is_clamp_mss_to_pmtu: turn % 3 === 0 }),
        rule(4, { bind_port: 3000, bind_address: turn % 2 ? RELAY : '0.0.0.0' }),
      ]
      const counted = (turn: number): RelayRule => ({ ...udp, sort_order: turn })
      await rig.become(counted(0), rule(2), ...Array.from({ length: 30 }, (_, at) => rule(100 + at)), ...changing(0))
      await rig.client.calls.hold('before', place('tcp', 1002))
      const before = (await rig.servers.calls.received())['udp 90'] ?? 0
      await rig.client.calls.startFlood(place('udp', 1001), place('tcp', 1002))
      for (let turn = 1; turn <= TURNS; turn += 1) {
        const { outcome, failure } = await rig.apply(
          [counted(turn - 1), ...changing(turn - 1)],
          [counted(turn), ...changing(turn)],
        )
        assert.equal(outcome, 'applied', failure?.message)
        rig.relay.run(`iptables-${variant}`, [
          '--wait',
          '5',
          '-t',
          'mangle',
          turn % 2 ? '-A' : '-D',
          'FORWARD',
          '-p',
          'tcp',
          '-j',
          'ACCEPT',
        ])
      }
      const sent = await rig.client.calls.stopFlood()
      assert.ok(sent && sent.datagrams > 100 && sent.connections > 10, JSON.stringify(sent))
      const all = async (): Promise<number> => (await rig.servers.calls.received())['udp 90 datagrams'] ?? 0
      await eventually(async () => (await all()) >= sent.datagrams)
      assert.deepEqual([sent.failed, await all()], [0, sent.datagrams])
      const { tx_bytes, tx_packets } = await rig.counted(1)
      const received = ((await rig.servers.calls.received())['udp 90'] ?? 0) - before
      assert.deepEqual([tx_packets, tx_bytes], [sent.datagrams, received + HEADERS_BYTES * sent.datagrams])
      assert.equal(await rig.client.calls.say('before'), true)
      console.log(
        `      ${sent.datagrams} datagrams, ${sent.connections} connections, the slowest in ${sent.slowest_ms.toFixed(0)} ms`,
      )
    })

    it('reads the last bytes of a rule that goes while it carries traffic', async () => {
      await rig.become(rule(2), udp)
      await rig.client.calls.startFlood(place('udp', 1001), place('tcp', 1002))
      let sampled = await rig.counted(1)
      while (sampled.tx_packets < 20) sampled = await rig.counted(1)
      const { outcome, last_counters } = await rig.apply([udp], [])
      await rig.client.calls.stopFlood()
      const [last] = last_counters
      assert.deepEqual([outcome, last_counters.length], ['applied', 1])
      assert.ok(
        last &&
          last.tx_packets >= sampled.tx_packets &&
          sampled.tx_packets >= 20 &&
          last.tx_bytes % last.tx_packets === 0,
        JSON.stringify(last),
      )
      assert.doesNotMatch(saved(), /PANEL-[A-Z]-1\b/)
    })

    /** The client's kernel sends the last packets of a connection when its program has ended. */
    const lastCounted = async (id: number): ReturnType<typeof rig.counted> => {
      const before = await rig.counted(id)
      await new Promise((resolve) => setTimeout(resolve, 300))
      const now = await rig.counted(id)
      return isDeepStrictEqual(before, now) ? now : lastCounted(id)
    }

    it('keeps what a rule has counted when its address becomes one of the other family', async () => {
      await rig.become(rule(2))
      await rig.client.calls.talk(place('tcp', 1002))
      const before = await lastCounted(2)
      const six = rule(2, {
        bind_address: 'fd01::1',
        destinations: [{ address: 'fd09::2', port: 80, port_range_end: null, weight: 1, ...IN_ROTATION }],
      })
      assert.equal((await rig.apply([rule(2)], [six])).outcome, 'applied')
      assert.ok(before.tx_packets > 0)
      assert.deepEqual(await rig.counted(2), before)
      const { last_counters } = await rig.apply([six], [])
      assert.deepEqual(last_counters, [before])
      await rig.become(rule(2))
    })

    it('can end the connections of a rule', async () => {
      await rig.become(rule(2), rule(21))
      await rig.client.calls.hold('held', place('tcp', 1021))
      const { connections } = await askOnce(rig.socket, 'ruleset.connections', { route_rule_ids: [21], limit: 10 })
      assert.deepEqual(
        connections.map(({ destination_address, state, mark }) => [destination_address, state, mark]),
        [[ONE, 'ESTABLISHED', 0x50001500]],
      )
      assert.deepEqual(await askOnce(rig.socket, 'ruleset.disconnect', { route_rule_ids: [21], destinations: [] }), {
        dropped: 1,
      })
      await rig.client.calls.release()
    })

    it('is not taken for the work of other software, which is reported beside it', async () => {
      rig.relay.nft(
        'table inet theirs {\n chain forward { type filter hook forward priority 5;\n ip daddr 10.9.0.99 drop\n }\n}\n',
      )
      const { managers, rules, chains, is_whole } = await askOnce(rig.socket, 'netfilter.probe', {})
      assert.deepEqual(
        [rules.filter(({ text }) => text.includes('PANEL-')), chains.filter(({ chain }) => chain.startsWith('PANEL-'))],
        [[], []],
      )
      assert.ok(managers.includes('nftables') && rules.some(({ text }) => text.includes('10.9.0.99')))
      assert.deepEqual([is_whole, managers], [true, ['nftables']])
    })

    it('of the backend itself leaves the rules relaying, once', async () => {
      await rig.become(rule(2))
      await rig.restartHelper({ PANEL_RULE_BACKEND: 'nftables' })
      const held = await rig.held()
      assert.deepEqual([held.backend, held.rules, held.damaged], ['nftables', [rule(2)], []])
      assert.doesNotMatch(saved(), /PANEL-/)
      assert.equal((await rig.client.calls.talk(place('tcp', 1002)))?.server, `${ONE} 80`)
      await rig.restartHelper()
      const again = await rig.held()
      assert.deepEqual([again.backend, again.rules, again.damaged], [backend, [rule(2)], []])
      assert.doesNotMatch(rig.relay.run('nft', ['list', 'tables']), /inet panel/)
      assert.equal((await rig.client.calls.talk(place('tcp', 1002)))?.server, `${ONE} 80`)
    })
  })
}
