// The law of totals: changes under load lose no byte of any total, there or back, by whatever carries out the
// rules and whatever protects them.
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { casesOf, repetitions } from '../support/counts.ts'
import { eventually } from '../support/eventually.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RelayRig, ruleOfRig as rule, SERVERS } from './relay-rig.ts'

const [ONE] = SERVERS
const FLOWS = 100
const place = (protocol: Place['protocol'], port: number, address = RELAY): Place => ({ protocol, address, port })
const to = (address: string, port: number) => ({ address, port, port_range_end: null, weight: 1, ...IN_ROTATION })

/** Counts what arrives at both ends in the kernel of each end, by the client's port of the rule and the server's. */
const arrivals = (way: 'sport' | 'dport', udp: number, tcp: number): string => `table inet arrivals {
	counter of_udp { }
	counter of_tcp { }
	chain arriving {
		type filter hook input priority 0
		udp ${way} ${udp} counter name of_udp
		tcp ${way} ${tcp} counter name of_tcp
	}
}
`

/** Counted by the rules that stay; each turn, those beside them change by elements and by chains. */
const COUNTED = [rule(1, { protocol: 'udp', destinations: [to(ONE, 90)] }), rule(2)] as const
const beside = (turn: number): RelayRule[] => [
  rule(3, { bind_port: 2000 + turn }),
  rule(4, { bind_port: 3000, fwmark: turn % 2 ? 7 : null, is_clamp_mss_to_pmtu: turn % 3 === 0 }),
]
const OTHERS = Array.from({ length: 30 }, (_, at) => rule(100 + at))

/** A table of iptables cannot be protected, whatever is wanted. */
const WAYS = [
  ['nftables', 'none'],
  ['nftables', 'held'],
  ['nftables', 'owned'],
  ['iptables_nft', 'none'],
  ['iptables_legacy', 'none'],
] as const

for (const [backend, level] of WAYS)
  describe(`The totals of rules by ${backend}, their table ${level}`, function () {
    const rig = new RelayRig({ PANEL_RULE_BACKEND: backend })
    before(async () => {
      await rig.open()
      for (const where of [place('tcp', 80, ONE), place('udp', 90, ONE)]) await rig.servers.calls.listen(where)
      rig.servers.nft(arrivals('dport', 90, 80))
      rig.client.nft(arrivals('sport', 1001, 1002))
      await protect(level === 'owned')
      await rig.become(...COUNTED, ...OTHERS, ...beside(0))
      await protect(backend !== 'nftables' || level !== 'none')
    })
    after(() => rig.close())

    const protect = (wanted: boolean) => askOnce(rig.socket, 'ruleset.protect', { wanted })
    const found = async () => {
      const { rule_backend } = await askOnce(rig.socket, 'host.probe', { parts: ['rule_backend'] })
      return rule_backend ?? assert.fail('root has not looked for it')
    }
    const arrivedAt = (end: 'servers' | 'client'): number[] =>
      ['of_udp', 'of_tcp'].map((name) =>
        Number(/bytes (\d+)/.exec(rig[end].run('nft', ['list', 'counter', 'inet', 'arrivals', name]))?.[1]),
      )
    const totals = async () => {
      const [udp, tcp] = [await rig.counted(1), await rig.counted(2)]
      return { there: [udp.tx_bytes, tcp.tx_bytes], back: [udp.rx_bytes, tcp.rx_bytes] }
    }
    const had = () => ({ there: arrivedAt('servers'), back: arrivedAt('client') })

    async function change(turn: number): Promise<void> {
      // Now and then a rule that counts is rewritten, too.
      const counted = (at: number): RelayRule[] =>
        turn % 10 === 0 ? [{ ...COUNTED[0], sort_order: Math.max(1, 10 * Math.floor(at / 10)) }] : []
      const { outcome, failure } = await rig.apply(
        [...beside(turn - 1), ...counted(turn - 1)],
        [...beside(turn), ...counted(turn)],
      )
      assert.equal(outcome, 'applied', failure?.message)
      if (level === 'owned' && turn % 10 === 5) rig.relay.run('nft', ['flush', 'ruleset'])
    }

    const turns = casesOf(
      backend,
      Array.from({ length: repetitions('PANEL_TOTALS_CHANGES') }, (_, at) => at),
    ).length
    it(`lose no byte there or back over ${turns} changes under load`, async () => {
      const { calls } = rig.client
      assert.equal(await calls.gather(FLOWS, place('tcp', 1002)), FLOWS)
      await calls.chat()
      await calls.startFlood(place('udp', 1001), place('tcp', 1002))
      for (let turn = 1; turn <= turns; turn += 1) await change(turn)
      const sent = await calls.stopFlood()
      assert.deepEqual([sent?.failed, await calls.answering(FLOWS)], [0, FLOWS])
      await calls.disperse()
      // What is on its way arrives.
      let counted = { totals: await totals(), had: had() }
      await eventually(
        async () => isDeepStrictEqual((counted = { totals: await totals(), had: had() }).totals, counted.had),
        () => JSON.stringify(counted),
        { pause_ms: 100 },
      )
      const { there, back } = counted.had
      assert.ok(there.every((bytes) => bytes > 10_000) && (back[1] ?? 0) > 10_000, JSON.stringify({ there, back }))
      assert.equal((await found()).protection.how, level)
    })

    if (backend !== 'nftables')
      it('are of a table that others can take away and of no fast path, and root says why', async () => {
        const { protection, fast_path } = await found()
        assert.deepEqual([protection.how, fast_path.is_able], ['none', false])
        assert.match(protection.detail, /^Only a table of nftables can be protected/)
        assert.match(fast_path.detail, /^Only nftables has a fast path/)
      })
  })
