// What relay rules do to packets: client, relay and servers in namespaces, real traffic, rules made by the real helper.
import assert from 'node:assert/strict'
import type { RuleBackend } from '@panel/shared/ruleset/backend.ts'
import { IN_ROTATION, type RelayDestination, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { exampleRule } from '../support/example-rule.ts'
import type { Place, Talk } from './relay-peer.ts'
import { CLIENT, CLIENT_TOO, RELAY, RELAY_FAR, RELAY_TOO, RelayRig, SERVERS } from './relay-rig.ts'

const [ONE, TWO, THREE] = SERVERS
const to = (address: string, port: number, weight = 1): RelayDestination => ({
  address,
  port,
  port_range_end: null,
  weight,
  ...IN_ROTATION,
})
const rule = (route_rule_id: number, fields: Partial<RelayRule>): RelayRule =>
  exampleRule({ route_rule_id, sort_order: route_rule_id, bind_address: RELAY, destinations: [to(ONE, 80)], ...fields })
const tcp = (port: number, address = RELAY): Place => ({ protocol: 'tcp', address, port })
const udp = (port: number, address = RELAY): Place => ({ protocol: 'udp', address, port })
const hostOf = (text: string | undefined): string | undefined => text?.split(' ')[0]

/** One suite for whatever carries out the rules. */
export const describeTraffic = (title: string, backend: RuleBackend): void =>
  void describe(title, function () {
    const rig = new RelayRig({ PANEL_RULE_BACKEND: backend })
    before(async () => {
      await rig.open()
      const places = [
        ...SERVERS.flatMap((address) =>
          [80, 81, 2000, 2001, 2002].flatMap((port) => [tcp(port, address), udp(port, address)]),
        ),
        ...['fd09::2', 'fd09::3'].flatMap((address) => [tcp(80, address), udp(80, address)]),
      ]
      await Promise.all(places.map((place) => rig.servers.calls.listen(place)))
    })
    after(() => rig.close())
    afterEach(() => rig.client.calls.release())

    const talk = (place: Place, from?: string): Promise<Talk | null> => rig.client.calls.talk(place, from)
    const reached = async (place: Place, from?: string): Promise<string | undefined> =>
      (await talk(place, from))?.server
    const seenBy = async (place: Place, from?: string): Promise<string | undefined> =>
      hostOf((await talk(place, from))?.seen)

    /** How often each server answers so many new connections. */
    const times = async (place: Place, many: number, all: Record<string, number> = {}): Promise<typeof all> => {
      for (let i = 0; i < many; i += 1) {
        const server = (await reached(place)) ?? 'nobody'
        all[server] = (all[server] ?? 0) + 1
      }
      return all
    }

    it('goes by TCP, by UDP or by both, and by no other', async () => {
      await rig.become(
        rule(1, { bind_port: 1001 }),
        rule(2, { bind_port: 1002, protocol: 'udp' }),
        rule(3, { bind_port: 1003, protocol: 'both', destinations: [to(TWO, 81)] }),
      )
      const answers = await Promise.all(
        [tcp(1001), udp(1001), tcp(1002), udp(1002), tcp(1003), udp(1003)].map((place) => reached(place)),
      )
      assert.deepEqual(answers, [`${ONE} 80`, undefined, undefined, `${ONE} 80`, `${TWO} 81`, `${TWO} 81`])
    })

    it('goes over IPv6 as over IPv4', async () => {
      await rig.become(
        rule(1, { bind_address: 'fd01::1', bind_port: 1001, protocol: 'both', destinations: [to('fd09::2', 80)] }),
        rule(2, {
          bind_address: '::',
          bind_port: 1002,
          destinations: [to('fd09::2', 80), to('fd09::3', 80)],
          balance: 'round_robin',
        }),
        rule(3, { bind_port: 1002 }),
      )
      assert.deepEqual(
        [
          await reached(tcp(1001, 'fd01::1')),
          await reached(udp(1001, 'fd01::1')),
          await seenBy(tcp(1001, 'fd01::1')),
          await reached(tcp(1002)),
        ],
        ['fd09::2 80', 'fd09::2 80', 'fd09::1', `${ONE} 80`],
      )
      assert.deepEqual([await reached(tcp(1002, 'fd01::1')), await reached(tcp(1002, 'fd01::1'))].sort(), [
        'fd09::2 80',
        'fd09::3 80',
      ])
    })

    it('keeps or shifts the ports of a range', async () => {
      await rig.become(
        rule(1, { bind_port: 2000, bind_port_range_end: 2002, protocol: 'both', destinations: [to(ONE, 2000)] }),
        rule(2, { bind_port: 3000, bind_port_range_end: 3002, protocol: 'both', destinations: [to(TWO, 2000)] }),
        rule(3, { bind_port: 3001, bind_address: RELAY_TOO, destinations: [to(THREE, 80)] }),
      )
      const answers = await Promise.all(
        [tcp(2000), tcp(2002), udp(2001), tcp(3000), tcp(3002), udp(3001), tcp(3001, RELAY_TOO), tcp(3003)].map(
          (place) => reached(place),
        ),
      )
      assert.deepEqual(answers, [
        `${ONE} 2000`,
        `${ONE} 2002`,
        `${ONE} 2001`,
        `${TWO} 2000`,
        `${TWO} 2002`,
        `${TWO} 2001`,
        `${THREE} 80`,
        undefined,
      ])
    })

    it('is shared out in turn, by weight, or by source, which then always meets the same server', async () => {
      const three = SERVERS.map((address) => to(address, 80))
      await rig.become(
        rule(1, { bind_port: 1001, destinations: three, balance: 'round_robin' }),
        rule(2, { bind_port: 1002, destinations: [to(ONE, 80, 300), to(TWO, 80, 100)], balance: 'weighted' }),
        rule(3, { bind_port: 1003, protocol: 'both', destinations: three, balance: 'source_hash' }),
        rule(4, {
          bind_port: 2000,
          bind_port_range_end: 2002,
          destinations: [to(ONE, 2000), to(TWO, 2000)],
          balance: 'round_robin',
        }),
      )
      assert.deepEqual(await times(tcp(1001), 9), { [`${ONE} 80`]: 3, [`${TWO} 80`]: 3, [`${THREE} 80`]: 3 })
      assert.deepEqual(await times(tcp(1002), 8), { [`${ONE} 80`]: 6, [`${TWO} 80`]: 2 })
      assert.deepEqual(await times(tcp(2001), 2), { [`${ONE} 2001`]: 1, [`${TWO} 2001`]: 1 })
      const [server] = Object.keys(await times(tcp(1003), 4))
      assert.deepEqual([await times(tcp(1003), 4), await reached(udp(1003))], [{ [server ?? '']: 4 }, server])
      await rig.become(rule(3, { bind_port: 1003, protocol: 'both', destinations: three, balance: 'source_hash' }))
      assert.deepEqual(await times(tcp(1003), 2), { [server ?? '']: 2 })
    })

    it('is shared out among those that are left as it was among all, while a destination is out', async () => {
      for (const out of SERVERS) {
        const having = (...weights: number[]): RelayDestination[] =>
          SERVERS.map((one, at) => ({ ...to(one, 80, weights[at]), rotation: one === out ? 'out' : 'in' }))
        await rig.become(rule(1, { bind_port: 1001, destinations: having(), balance: 'round_robin' }))
        assert.deepEqual(Object.values(await times(tcp(1001), 12)), [6, 6], `without ${out}`)
        await rig.become(rule(2, { bind_port: 1002, destinations: having(3, 2, 1), balance: 'weighted' }))
        // All of its slots: the shares of 3 : 2 : 1 are 2 : 1 without the first.
        if (out === ONE) assert.deepEqual(await times(tcp(1002), 48), { [`${TWO} 80`]: 32, [`${THREE} 80`]: 16 })
      }
    })

    it('is led elsewhere while a destination is out, to a backup last, and to nobody where the rule is closed', async () => {
      const [one, two, three] = SERVERS.map((address) => to(address, 80))
      const out = (destination = one): RelayDestination => ({ ...destination!, rotation: 'out' })
      const backup = { ...three!, is_backup: true, rotation: 'standby' as const }
      const only = { bind_port: 1001, balance: 'none' as const }
      const both = { bind_port: 1002, balance: 'source_hash' as const, protocol: 'both' as const }
      const rotated = async (a: RelayDestination[], b: RelayDestination[], is_closed = false): Promise<unknown> => {
        await rig.become(
          rule(1, { ...only, destinations: a, is_closed }),
          rule(2, { ...both, destinations: b, is_closed }),
        )
        const reachedNow = await Promise.all([tcp(1001), tcp(1002), udp(1002)].map((place) => reached(place)))
        return reachedNow.map((server) => hostOf(server) ?? 'nobody')
      }
      assert.deepEqual(await rotated([one!, backup], [one!, out(two), backup]), [ONE, ONE, ONE])
      assert.deepEqual(await rotated([out(), backup], [out(), two!, backup]), [THREE, TWO, TWO])
      assert.deepEqual(await rotated([out(), backup], [out(), out(two), backup]), [THREE, THREE, THREE])
      const [, , home] = (await rotated([one!, out(backup)], [one!, two!, out(backup)])) as string[]
      assert.deepEqual(await rotated([out(), out(backup)], [out(), out(two), out(backup)]), [ONE, home, home])
      assert.deepEqual(await rotated([one!], [one!, two!], true), ['nobody', 'nobody', 'nobody'])
      assert.equal(await rig.client.calls.refusal(tcp(1001)), 'ECONNREFUSED')
    })

    it('shows the server the relay’s address, one of the operator’s choice, or the client’s own', async () => {
      rig.relay.batch('addr add 10.9.0.77/24 dev far0')
      await rig.become(
        rule(1, { bind_port: 1001, nat_mode: 'masquerade' }),
        rule(2, { bind_port: 1002, nat_mode: 'snat', snat_address: '10.9.0.77' }),
        rule(3, { bind_port: 1003, nat_mode: 'none' }),
      )
      assert.deepEqual(
        [await seenBy(tcp(1001)), await seenBy(tcp(1002)), await seenBy(tcp(1003))],
        [RELAY_FAR, '10.9.0.77', CLIENT],
      )
    })

    it('comes from the allowed sources alone', async () => {
      await rig.become(rule(1, { bind_port: 1001, protocol: 'both', allowed_sources: [`${CLIENT}/32`, '10.2.0.0/16'] }))
      const answers = await Promise.all([
        talk(tcp(1001), CLIENT),
        talk(udp(1001), CLIENT),
        talk(tcp(1001), CLIENT_TOO),
        talk(udp(1001), CLIENT_TOO),
      ])
      assert.deepEqual(
        answers.map((answer) => answer?.server),
        [`${ONE} 80`, `${ONE} 80`, undefined, undefined],
      )
    })

    it('is caught on every address of the host, or on one interface alone', async () => {
      await rig.become(
        rule(1, { bind_port: 1001, bind_address: '0.0.0.0' }),
        rule(2, { bind_port: 1002, bind_address: '0.0.0.0', bind_interface: 'near0' }),
        rule(3, { bind_port: 1003, bind_address: '0.0.0.0', bind_interface: 'far0' }),
      )
      const answers = await Promise.all(
        [tcp(1001), tcp(1001, RELAY_TOO), tcp(1001, RELAY_FAR), tcp(1002), tcp(1003)].map((place) => reached(place)),
      )
      assert.deepEqual(answers, [`${ONE} 80`, `${ONE} 80`, `${ONE} 80`, `${ONE} 80`, undefined])
      // An address that is not the host's is not caught by "every address of the host".
      assert.equal(await reached(tcp(1001, THREE)), undefined)
    })

    it('goes to the rule that stands first, whatever its id', async () => {
      const wide = rule(1, {
        bind_port: 1000,
        bind_port_range_end: 1010,
        bind_address: '0.0.0.0',
        sort_order: 2,
        destinations: [to(TWO, 2000)],
        allowed_sources: [],
      })
      const narrow = rule(2, { bind_port: 1001, sort_order: 1, destinations: [to(ONE, 80)] })
      const forOne = rule(3, {
        bind_port: 1002,
        sort_order: 1,
        destinations: [to(THREE, 80)],
        allowed_sources: [`${CLIENT_TOO}/32`],
      })
      await rig.become(wide, narrow, forOne)
      assert.deepEqual(
        [
          await reached(tcp(1000)),
          await reached(tcp(1001)),
          await reached(tcp(1002)),
          await reached(tcp(1002), CLIENT_TOO),
        ],
        [`${TWO} 2000`, `${ONE} 80`, `${TWO} 2002`, `${THREE} 80`],
      )
      await rig.become({ ...wide, sort_order: 0 }, narrow, forOne)
      assert.deepEqual([await reached(tcp(1001)), await reached(tcp(1002), CLIENT_TOO)], [`${TWO} 2001`, `${TWO} 2002`])
    })

    it('of the host’s own is caught where a rule says so', async () => {
      await rig.become(rule(1, { bind_port: 1001, is_include_local_originated: true }), rule(2, { bind_port: 1002 }))
      const request = (port: number): string =>
        rig.relay.run('sh', ['-c', `timeout 1 socat -u TCP:${RELAY}:${port} - 2>/dev/null || true`])
      assert.match(request(1001), new RegExp(`^${ONE} 80\\|`))
      assert.equal(request(1002), '')
      const { tx_bytes, rx_bytes } = await rig.counted(1)
      assert.ok(tx_bytes > 100 && rx_bytes > 100, `${tx_bytes} ${rx_bytes}`)
    })

    if (backend !== 'iptables_legacy')
      it('is limited in open connections of a source, whatever becomes of other rules', async () => {
        const limited = rule(1, { bind_port: 1001, max_connections_per_source: 2 })
        await rig.become(limited)
        const opened = [
          await rig.client.calls.hold('a', tcp(1001)),
          await rig.client.calls.hold('b', tcp(1001)),
          await rig.client.calls.talk(tcp(1001)),
        ]
        assert.deepEqual(
          [opened.map((one) => one !== null), await reached(tcp(1001), CLIENT_TOO)],
          [[true, true, false], `${ONE} 80`],
        )
        await rig.become(limited, rule(2, { bind_port: 1002 }))
        assert.equal(await reached(tcp(1001)), undefined)
      })

    it('is limited in new connections a second', async () => {
      await rig.become(rule(2, { bind_port: 1002, connection_rate_limit: 2 }))
      const burst = await Promise.all(
        Array.from({ length: 6 }, () => reached(udp(1002))).concat(Array.from({ length: 6 }, () => reached(tcp(1002)))),
      )
      const through = burst.filter((one) => one !== undefined).length
      assert.ok(through >= 2 && through <= 4, `${through} came through`)
    })

    it('has its segments clamped to the path, as the server sees', async () => {
      await rig.become(
        rule(1, { bind_port: 1001, is_clamp_mss_to_pmtu: true }),
        rule(2, { bind_port: 1002, destinations: [to(ONE, 81)] }),
      )
      rig.servers.nft(
        'table inet seen {\n chain input { type filter hook input priority 0;\n tcp flags syn / syn,ack tcp dport 80 tcp option maxseg size 1360 counter comment "clamped"\n tcp flags syn / syn,ack tcp dport 81 tcp option maxseg size 1460 counter comment "plain"\n }\n}\n',
      )
      await Promise.all([reached(tcp(1001)), reached(tcp(1002))])
      const seen = rig.servers.run('nft', ['list', 'table', 'inet', 'seen'])
      rig.servers.nft('delete table inet seen\n')
      assert.match(seen, /1360 counter packets 1 bytes [0-9]+ comment "clamped"/)
      assert.match(seen, /1460 counter packets 1 bytes [0-9]+ comment "plain"/)
    })

    it('carries its fwmark where routes are looked up, and not on its way back', async () => {
      await rig.become(
        rule(1, { bind_port: 1001, fwmark: 77 }),
        rule(2, { bind_port: 1002, destinations: [to(ONE, 81)] }),
      )
      rig.relay.nft(
        'table inet seen {\n chain forward { type filter hook forward priority 0;\n meta mark 77 ct direction original counter\n meta mark 77 ct direction reply counter\n tcp dport 81 meta mark != 0 counter\n }\n}\n',
      )
      await Promise.all([reached(tcp(1001)), reached(tcp(1002))])
      const [there = 0, ...others] = [
        ...rig.relay.run('nft', ['list', 'table', 'inet', 'seen']).matchAll(/packets ([0-9]+)/g),
      ].map(([, packets]) => Number(packets))
      rig.relay.nft('delete table inet seen\n')
      assert.ok(there >= 3)
      assert.deepEqual(others, [0, 0])
    })

    it('is counted by its owner: two rules to one server share nothing, and who merely passes is neither counted nor masqueraded', async () => {
      await rig.become(
        rule(11, { bind_port: 1001 }),
        rule(12, { bind_port: 1002 }),
        rule(13, { bind_port: 1003, bind_address: RELAY_TOO }),
      )
      await rig.client.calls.hold('counted', tcp(1001))
      const [first, second] = [await rig.counted(11), await rig.counted(12)]
      assert.ok(first.tx_packets >= 2 && first.rx_packets >= 2)
      assert.deepEqual(second, { route_rule_id: 12, tx_bytes: 0, tx_packets: 0, rx_bytes: 0, rx_packets: 0 })
      assert.equal(await seenBy(tcp(80, ONE)), CLIENT)
      assert.deepEqual([await rig.counted(11), await rig.counted(12)], [first, second])
    })
  })
