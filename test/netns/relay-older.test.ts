// A UDP client that sends before its rule is there: NAT is decided with the first packet of a flow, so what is older than
// its rule has to end for the rule to relay it. With whatever carries out the rules.
import assert from 'node:assert/strict'
import type { RuleBackend } from '@panel/shared/ruleset/backend.ts'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { eventually } from '../support/eventually.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import type { Place } from './relay-peer.ts'
import { CLIENT, RELAY, RELAY_TOO, RelayRig, ruleOfRig, SERVERS } from './relay-rig.ts'

const [ONE] = SERVERS
const FLUSH: Readonly<Record<Exclude<RuleBackend, 'none'>, readonly string[]>> = {
  nftables: ['nft flush ruleset'],
  iptables_nft: ['iptables-nft -t nat -F', 'iptables-nft -t mangle -F'],
  iptables_legacy: ['iptables-legacy -t nat -F', 'iptables-legacy -t mangle -F'],
}

for (const backend of ['nftables', 'iptables_nft', 'iptables_legacy'] as const)
  describe(`A UDP flow that is older than its rule, with ${backend}`, function () {
    const rig = new RelayRig({ PANEL_RULE_BACKEND: backend })
    const rule = (id: number, fields: Partial<RelayRule> = {}): RelayRule =>
      ruleOfRig(id, { protocol: 'udp', ...fields })
    const udp = (port: number, address = RELAY): Place => ({ protocol: 'udp', address, port })
    const served = async (name: string, place: Place): Promise<string | undefined> =>
      (await rig.client.calls.askOnFlow(name, place))?.server
    const older = async (...rules: readonly RelayRule[]): Promise<number> => {
      const listeners = rules.map(({ bind_address, bind_port, bind_port_range_end }) => ({
        bind_address,
        bind_port,
        bind_port_range_end,
      }))
      return (await askOnce(rig.socket, 'connections.older', { listeners })).connections
    }
    const flush = (): void => FLUSH[backend].forEach((line) => rig.relay.run('sh', ['-c', line]))

    before(async () => {
      await rig.open()
      await rig.servers.calls.listen(udp(80, ONE))
      await rig.servers.calls.listen(udp(80, 'fd09::2'))
      // Without NAT of ours the kernel may track nothing at all.
      await rig.become(rule(99))
    })
    after(() => rig.close())

    it('is relayed from its next datagram on once the rule is there, and is counted beforehand', async () => {
      assert.equal(await served('new', udp(1001)), undefined)
      assert.equal(await older(rule(1)), 1)
      assert.equal(await older(rule(2)), 0)
      await rig.become(rule(1))
      assert.equal(await older(rule(1)), 0)
      assert.equal(await served('new', udp(1001)), `${ONE} 80`)
    })

    it('is relayed by a rule for every address, for a range, and for IPv6', async () => {
      const six = { bind_address: 'fd01::1', destinations: [{ ...rule(1).destinations[0]!, address: 'fd09::2' }] }
      const places: [string, Place][] = [
        ['wide', udp(1002, RELAY_TOO)],
        ['range', udp(5000)],
        ['six', udp(1004, 'fd01::1')],
      ]
      for (const [name, place] of places) assert.equal(await served(name, place), undefined)
      await rig.become(
        rule(2, { bind_address: '0.0.0.0' }),
        rule(3, { bind_port: 5000, bind_port_range_end: 5009 }),
        rule(4, six),
      )
      const answers = await Promise.all(places.map(([name, place]) => served(name, place)))
      assert.deepEqual(answers, [`${ONE} 80`, `${ONE} 80`, 'fd09::2 80'])
    })

    it('is relayed when the listener of its rule comes to be where it sends', async () => {
      await rig.become(rule(5))
      assert.equal(await served('moved', udp(2005)), undefined)
      await rig.become(rule(5, { bind_port: 2005 }))
      assert.equal(await served('moved', udp(2005)), `${ONE} 80`)
    })

    it('is relayed when its source is allowed', async () => {
      await rig.become(rule(6, { allowed_sources: ['192.0.2.0/24'] }))
      assert.equal(await served('allowed', udp(1006)), undefined)
      await rig.become(rule(6, { allowed_sources: [`${CLIENT}/32`, '192.0.2.0/24'] }))
      assert.equal(await served('allowed', udp(1006)), `${ONE} 80`)
    })

    const BACK = {
      'a change': async () => void (await rig.apply([], [rule(7)])),
      'the start of the helper': () => rig.restartHelper(),
    }
    for (const [what, back] of Object.entries(BACK))
      it(`is relayed again after the rules were taken away and put back by ${what}`, async () => {
        await rig.become(rule(7))
        flush()
        assert.equal(await served(what, udp(1007)), undefined)
        await back()
        assert.equal(await served(what, udp(1007)), `${ONE} 80`)
      })

    it('is relayed when the address comes to which it sends, by a rule for every address', async () => {
      const late = '10.1.7.7'
      rig.relay.batch(`route add ${late}/32 via ${ONE}`)
      await rig.become(rule(8, { bind_address: '0.0.0.0' }))
      assert.equal(await served('late', udp(1008, late)), undefined)
      rig.relay.batch(`route del ${late}/32`, `addr add ${late}/32 dev near0`)
      await eventually(async () => (await served('late', udp(1008, late))) === `${ONE} 80`)
    })

    it('is left alone where another rule owns it, where it goes elsewhere, and where it is of TCP', async () => {
      await rig.become(rule(10, { bind_address: '0.0.0.0', bind_port: 1010 }))
      assert.equal(await served('owned', udp(1010)), `${ONE} 80`)
      // What is only forwarded goes to no address of this host.
      assert.equal(await served('through', udp(1011, ONE)), undefined)
      const wide = rule(11, { bind_address: '0.0.0.0', bind_port: 1011, protocol: 'both' })
      assert.equal(await older(rule(9, { bind_port: 1010 }), wide), 0)
      await rig.client.calls.talk({ protocol: 'tcp', address: RELAY, port: 1011 })
      assert.equal(await older(wide), 0)
    })

    it('is ended with one look, whatever the number of rules', async () => {
      const many = Array.from({ length: 2000 }, (_, at) => rule(100 + at, { bind_port: 20_000 + at }))
      const flow = udp(21_000)
      assert.equal(await served('many', flow), undefined)
      assert.equal(await older(...many), 1)
    })

    it('ends with drop_connections only if it leads to none of the destinations of its rule', async () => {
      const two = { ...rule(1).destinations[0]!, address: SERVERS[1], ...IN_ROTATION }
      await rig.become(rule(12))
      assert.equal(await served('left', udp(1012)), `${ONE} 80`)
      const drop = async (address: string, port = 80, port_range_end: number | null = null): Promise<number> =>
        (
          await askOnce(rig.socket, 'ruleset.disconnect', {
            route_rule_ids: [12],
            destinations: [],
            kept: [{ address, port, port_range_end }],
          })
        ).dropped
      await rig.become(rule(12, { destinations: [two] }))
      assert.equal(await drop(ONE), 0)
      assert.equal(await drop(ONE, 70, 90), 0)
      assert.equal(await drop(SERVERS[1]), 1)
    })
  })
