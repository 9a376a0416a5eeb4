// Destinations that go out of rotation and come back under a thousand connections: of those none notices, new ones get
// a server each time, and not a byte is counted wrongly.
import assert from 'node:assert/strict'
import { IN_ROTATION, type RelayDestination, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { repetitions } from '../support/counts.ts'
import { eventually } from '../support/eventually.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import { KernelNamespace } from './kernel-namespace.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RelayRig, ruleOfRig, SERVERS } from './relay-rig.ts'

const FLOWS = 1000
const SOURCES = Array.from({ length: 40 }, (_, at) => `10.1.0.${20 + at}`)
/** The first ports of a rule that draws in turn, of one that draws by source, and of one for datagrams. */
const [TURN, SOURCE, DATAGRAMS] = [80, 180, 280] as const
const FIRST_PORTS = [TURN, SOURCE, DATAGRAMS] as const
/** The destinations among three that are out; with all of them out each is at home. */
const STATES = [[0], [0, 1], [1], [], [2], [0, 1, 2], [2, 0], []] as const
type Out = (typeof STATES)[number]

/** Each server has a port of its own, so that what it receives is counted by itself. */
const threeOf = (first: number, out: Out): RelayDestination[] =>
  SERVERS.map((address, at) => ({
    ...{ address, port: first + at, port_range_end: null, weight: 1, ...IN_ROTATION },
    rotation: out.some((one) => one === at) ? ('out' as const) : ('in' as const),
  }))
const rulesWith = (out: Out): RelayRule[] => [
  ruleOfRig(1, { balance: 'round_robin', destinations: threeOf(TURN, out) }),
  ruleOfRig(2, { balance: 'source_hash', destinations: threeOf(SOURCE, out) }),
  ruleOfRig(3, { balance: 'round_robin', destinations: threeOf(DATAGRAMS, out), protocol: 'udp' }),
]
const place = (route_rule_id: number, protocol: Place['protocol'] = 'tcp'): Place => ({
  ...{ protocol, address: RELAY, port: 1000 + route_rule_id },
})

/** Counters of another table, by the ports of the servers and by no mark. */
const WITNESS = FIRST_PORTS.map((first, at) => {
  const [transport, ports] = [first === DATAGRAMS ? 'udp' : 'tcp', `${first}-${first + 2}`]
  return `add counter inet witness tx${at + 1}
add counter inet witness rx${at + 1}
add rule inet witness forward ip daddr 10.9.0.0/24 ${transport} dport ${ports} counter name tx${at + 1}
add rule inet witness forward ip saddr 10.9.0.0/24 ${transport} sport ${ports} counter name rx${at + 1}
`
})

describe('Destinations that rotate under a thousand connections', function () {
  const rig = new RelayRig()
  const { client, servers } = rig
  before(async () => {
    await rig.open()
    client.batch(...SOURCES.map((address) => `addr add ${address}/24 dev eth0`))
    const places = FIRST_PORTS.flatMap((first) =>
      threeOf(first, []).map(
        ({ address, port }) => ({ protocol: first === DATAGRAMS ? 'udp' : 'tcp', address, port }) as const,
      ),
    )
    await Promise.all(places.map((one) => servers.calls.listen(one)))
    rig.relay.nft(
      `add table inet witness\nadd chain inet witness forward { type filter hook forward priority 20; }\n${WITNESS.join('')}`,
    )
    await rig.become(...rulesWith([]))
  })
  after(() => rig.close())

  /** The connections received, by the port of the server. */
  const received = async (): Promise<number[]> => {
    const bytes = await servers.calls.received()
    return [TURN, SOURCE].flatMap((first) => [0, 1, 2].map((at) => bytes[`tcp ${first + at}`] ?? 0))
  }
  const witnessed = (route_rule_id: number): number[] =>
    ['tx', 'rx'].flatMap((way) => {
      const text = rig.relay.run('nft', ['list', 'counter', 'inet', 'witness', `${way}${route_rule_id}`])
      const [, packets, bytes] = /packets ([0-9]+) bytes ([0-9]+)/.exec(text) ?? []
      return [Number(packets), Number(bytes)]
    })
  const counted = async (route_rule_id: number): Promise<number[]> => {
    const { tx_packets, tx_bytes, rx_packets, rx_bytes } = await rig.counted(route_rule_id)
    return [tx_packets, tx_bytes, rx_packets, rx_bytes]
  }
  const serverOf = (text: string): number => SERVERS.findIndex((address) => text.startsWith(`${address} `))

  it('disturb none of them, move no client of a healthy one, and are counted to the byte', async () => {
    await client.calls.gather(FLOWS / 2, place(1))
    assert.equal(await client.calls.gather(FLOWS / 2, place(2), SOURCES), FLOWS)
    const homes = (await client.calls.reach(place(2), SOURCES)).map(serverOf)
    assert.deepEqual([...new Set(homes)].sort(), [0, 1, 2], 'each server is some client’s')
    const first = await received()
    assert.equal(await client.calls.answering(FLOWS), FLOWS)
    const flows = (await received()).map((bytes, at) => bytes - (first[at] ?? 0))
    assert.equal(
      flows.reduce((sum, many) => sum + many),
      FLOWS,
    )

    await client.calls.startStorm(place(1), 50)
    const many = repetitions('PANEL_ROTATIONS')
    let held: Out = []
    for (let turn = 0; turn < many; turn += 1) {
      const out = STATES[turn % STATES.length] ?? []
      const { outcome, failure } = await rig.apply(rulesWith(held), rulesWith(out))
      assert.equal(outcome, 'applied', failure?.message)
      held = out
      const before = await received()
      assert.equal(await client.calls.answering(FLOWS), FLOWS, 'every connection still answers')
      const moved = (await received()).map((bytes, at) => bytes - (before[at] ?? 0))
      assert.deepEqual(moved, flows, 'each server is still spoken to by as many')
      await client.calls.pour(place(3, 'udp'), 10)
      const reached = (await client.calls.reach(place(2), SOURCES)).map(serverOf)
      const isOut = (at: number): boolean => out.length < 3 && out.some((one) => one === at)
      reached.forEach((server, at) => {
        assert.equal(isOut(server), false, 'nobody new gets a server that is out')
        assert.ok(isOut(homes[at] ?? -1) || server === homes[at], 'who was not concerned keeps the server')
      })
    }
    const { begun, refused } = (await client.calls.stopStorm())!
    assert.ok(begun > 0)
    assert.equal(refused, 0)

    await client.calls.disperse()
    // What is under way arrives.
    for (let before = ''; before !== JSON.stringify([1, 2, 3].map(witnessed));) {
      before = JSON.stringify([1, 2, 3].map(witnessed))
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    for (const id of [1, 2, 3]) assert.deepEqual(await counted(id), witnessed(id))
    const datagrams = await servers.calls.received()
    assert.equal(
      [0, 1, 2].reduce((sum, at) => sum + (datagrams[`udp ${DATAGRAMS + at} datagrams`] ?? 0), 0),
      10 * many,
    )
    assert.equal((await counted(3))[0], 10 * many)
  })
})

describe('The destinations of a rule that are all out', function () {
  const rig = new RelayRig()
  const { calls } = rig.client
  before(async () => {
    await rig.open()
    await Promise.all(
      threeOf(TURN, []).map(({ address, port }) => rig.servers.calls.listen({ protocol: 'tcp', address, port })),
    )
  })
  after(() => rig.close())
  beforeEach(() => rig.become(...rulesWith([]).slice(0, 1)))
  afterEach(() => calls.release())
  const [open] = rulesWith([]) as [RelayRule]

  it('get new connections each as before, where they are kept', async () => {
    await calls.hold('before', place(1))
    await rig.apply([open], rulesWith([0, 1, 2]).slice(0, 1))
    const reached = await calls.reach(
      place(1),
      Array.from({ length: 6 }, () => '10.1.0.2'),
    )
    assert.deepEqual(
      [...new Set(reached)].sort(),
      SERVERS.map((address, at) => `${address} ${TURN + at}`),
    )
    assert.equal(await calls.say('before'), true)
  })

  it('get none where the rule is closed: the host refuses them, and what is established goes on', async () => {
    const [all] = rulesWith([0, 1, 2]) as [RelayRule]
    const closed = { ...all, is_closed: true }
    await calls.hold('before', place(1))
    const { outcome } = await rig.apply([open], [closed])
    assert.equal(outcome, 'applied')
    assert.equal(await calls.refusal(place(1)), 'ECONNREFUSED')
    assert.equal(await calls.say('before'), true)
    assert.deepEqual((await rig.held()).rules, [closed])
    await rig.apply([closed], [open])
    assert.equal(await calls.refusal(place(1)), null)
    assert.equal(await calls.say('before'), true)
  })

  it('are laid out again when the helper starts, as an earlier release gave each one slot', async () => {
    const [rule, removed] = [open, ruleOfRig(9)]
    await rig.become(rule, removed)
    await calls.hold('before', place(1))
    await askOnce(rig.socket, 'ruleset.protect', { wanted: false })
    const elements = [3, 4, 5].map((slot) => `0x5000010${slot}`).join(', ')
    rig.relay.nft(`delete element inet panel relay_to4 { ${elements} }
flush chain inet panel rule_1
add rule inet panel rule_1 ct mark set numgen inc mod 3 offset 0x50000100 goto relayed
delete element inet panel relay_in_id4 { tcp . ${RELAY} . 1009 }
`)
    await rig.restartHelper()
    await eventually(async () => (await rig.held()).rules.length === 1)
    assert.deepEqual((await rig.held()).rules, [rule])
    assert.deepEqual(
      (await rig.held()).damaged.map(({ route_rule_id }) => route_rule_id),
      [9],
    )
    assert.equal(await calls.say('before'), true)
    await askOnce(rig.socket, 'ruleset.forget', { route_rule_ids: [9] })
  })

  it('are where they belong again after the helper was killed in the middle of it', async () => {
    await calls.hold('before', place(1))
    await rig.restartHelper()
    let held = open
    for (const [turn, out] of STATES.slice(0, 6).entries()) {
      const [wanted] = rulesWith(out) as [RelayRule]
      const cut = rig.apply([held], [wanted]).catch(() => null)
      await new Promise((resolve) => setTimeout(resolve, 3 * turn))
      await rig.restartHelper()
      await cut
      const { rules, damaged, unmanaged } = await rig.held()
      assert.deepEqual([damaged, unmanaged], [[], []])
      const found = JSON.stringify(rules)
      assert.ok(
        [held, wanted].some((rule) => JSON.stringify([rule]) === found),
        found,
      )
      await rig.become(wanted)
      assert.deepEqual((await rig.held()).rules, [wanted])
      held = wanted
    }
    assert.equal(await calls.say('before'), true)
  })
})

for (const isProtected of [false, true])
  describe(`The homes in a table that ${isProtected ? 'the helper owns' : 'nobody owns'}`, function () {
    let host: KernelNamespace
    before(async () => {
      host = new KernelNamespace()
      await host.kernel.rulesets.protect(isProtected)
    })
    after(() => host.close())

    it('come back with any change to a table from which they were removed by hand, and its rules are whole', async () => {
      await host.kernel.rulesets.submit([], rulesWith([]))
      await host.kernel.rulesets.protect(false)
      host.run('nft', ['-f', '-'], [4, 6].map((family) => `delete map inet panel relay_home${family}\n`).join(''))
      assert.deepEqual((await host.kernel.rulesets.read()).rules, [])
      await host.kernel.rulesets.submit([], [])
      await host.kernel.rulesets.protect(isProtected)
      const { rules, damaged, unmanaged } = await host.kernel.rulesets.read()
      assert.deepEqual([rules, damaged, unmanaged], [rulesWith([]), [], []])
    })

    it('show a rotation that was undone by hand as another one, or as damage to rules that have several slots for each', async () => {
      await host.kernel.rulesets.submit([], rulesWith([1]))
      await host.kernel.rulesets.protect(false)
      host.run('nft', ['-f', '-'], 'flush map inet panel relay_home4\n')
      const { damaged, rules } = await host.kernel.rulesets.read()
      assert.deepEqual(
        [damaged, rules].map((all) => all.map(({ route_rule_id }) => route_rule_id)),
        [[1, 3], [2]],
      )
      assert.notDeepEqual(rules, rulesWith([1]).slice(1, 2))
      await host.kernel.rulesets.submit([], rulesWith([1]))
      assert.deepEqual((await host.kernel.rulesets.read()).rules, rulesWith([1]))
      await host.kernel.rulesets.protect(isProtected)
    })
  })
