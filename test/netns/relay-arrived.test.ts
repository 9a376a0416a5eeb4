// New connections are counted ahead of all filters, with whatever carries out the rules: one that is dropped here has
// arrived, and is in no other counter.
import assert from 'node:assert/strict'
import { eventually } from '../support/eventually.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RelayRig, ruleOfRig, SERVERS } from './relay-rig.ts'

const [ONE] = SERVERS
const DROP = 'table inet theirs { chain forward { type filter hook forward priority 0; policy drop;\n }\n}\n'

for (const backend of ['nftables', 'iptables_nft', 'iptables_legacy'] as const)
  describe(`New connections of rules by ${backend}`, function () {
    const rig = new RelayRig({ PANEL_RULE_BACKEND: backend })
    const tcp = (port: number): Place => ({ protocol: 'tcp', address: RELAY, port })
    const arrived = async (route_rule_id: number): Promise<number> => {
      const found = await askOnce(rig.socket, 'ruleset.arrived', { route_rule_id })
      assert.deepEqual([found.is_readable, found.detail], [true, ''])
      return found.connections
    }
    before(async () => {
      await rig.open()
      await rig.servers.calls.listen({ protocol: 'tcp', address: ONE, port: 80 })
      await rig.become(ruleOfRig(1), ruleOfRig(2), ruleOfRig(3, { balance: 'round_robin' }))
    })
    after(() => rig.close())

    it('are counted for their rule alone, whether they are forwarded or dropped', async () => {
      assert.deepEqual([await arrived(1), await arrived(2), await arrived(3), await arrived(9)], [0, 0, 0, 0])
      assert.notEqual(await rig.client.calls.talk(tcp(1001)), null)
      assert.deepEqual([await arrived(1), await arrived(2), await arrived(3)], [1, 0, 0])
      rig.relay.nft(DROP)
      assert.equal(await rig.client.calls.talk(tcp(1002)), null)
      assert.equal(await rig.client.calls.talk(tcp(1003)), null)
      // A client that waits sends again.
      const [first, ...dropped] = [await arrived(1), await arrived(2), await arrived(3)]
      assert.equal(first, 1)
      assert.ok(
        dropped.every((count) => count >= 1),
        dropped.join(),
      )
      assert.equal((await rig.counted(2)).tx_packets, 0)
      rig.relay.run('nft', ['delete', 'table', 'inet', 'theirs'])
      assert.notEqual(await rig.client.calls.talk(tcp(1002)), null)
      assert.deepEqual([(await arrived(2)) > (dropped[0] ?? 0), (await rig.counted(1)).tx_packets > 0], [true, true])
    })

    it('are still known after a change of another rule', async () => {
      const before = await arrived(2)
      await rig.apply([], [ruleOfRig(4)])
      await rig.apply([ruleOfRig(4)], [])
      assert.equal(await arrived(2), before)
      assert.deepEqual((await rig.held()).damaged, [])
    })
  })

describe('A table of a release that did not count new connections', function () {
  const rig = new RelayRig()
  before(() => rig.open())
  after(() => rig.close())

  it('counts them once the helper has started, and whatever else its rules lack stays away', async () => {
    const [rule, removed] = [ruleOfRig(1), ruleOfRig(9)]
    await rig.servers.calls.listen({ protocol: 'tcp', address: ONE, port: 80 })
    await rig.become(rule, removed)
    await askOnce(rig.socket, 'ruleset.protect', { wanted: false })
    const lines = rig.relay.run('nft', ['-a', 'list', 'chain', 'inet', 'panel', 'relayed'])
    const [, handle = ''] = /@relay_arrived # handle ([0-9]+)/.exec(lines) ?? []
    rig.relay.nft(`delete rule inet panel relayed handle ${handle}
delete set inet panel relay_arrived
delete element inet panel relay_in_id4 { tcp . ${RELAY} . 1009 }
`)
    await rig.client.calls.hold('before', { protocol: 'tcp', address: RELAY, port: 1001 })
    await rig.restartHelper()
    await eventually(async () => (await rig.held()).rules.length === 1)
    const { rules, damaged, unmanaged } = await rig.held()
    assert.deepEqual([rules, unmanaged], [[rule], []])
    assert.deepEqual(
      damaged.map(({ route_rule_id }) => route_rule_id),
      [9],
    )
    assert.equal(await rig.client.calls.say('before'), true)
    assert.notEqual(await rig.client.calls.talk({ protocol: 'tcp', address: RELAY, port: 1001 }), null)
    assert.equal((await askOnce(rig.socket, 'ruleset.arrived', { route_rule_id: 1 })).connections, 1)
  })
})
