// A second uplink with real traffic: what comes in for a relay rule by the interface that it names is answered by that
// interface, though the host's own default route is another, whose provider drops what bears an address of the second.
import assert from 'node:assert/strict'
import { exampleRule } from '../support/example-rule.ts'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { AnswersRig, BRIDGE, CLIENT, CONTAINER, FLOWS, INNER, INNER_OF_A, TUNNEL, type Family } from './answers-rig.ts'

/** The link to A stands for the second uplink, whose address clients know by way of A. */
const UPLINK = TUNNEL
const RELAYED = 1001
const UNNAMED = 1002
const OWN = 1003
const ip = (family: Family): string => `ip -${family}`

interface Choice {
  readonly port: number
  readonly bind_interface: string | null
  readonly nat_mode?: RelayRule['nat_mode']
}

const relay = (family: Family, { port, bind_interface, nat_mode = 'none' }: Choice): RelayRule =>
  exampleRule({
    route_rule_id: port * 10 + family,
    sort_order: port * 10 + family,
    protocol: 'both',
    bind_address: INNER[family],
    bind_port: port,
    bind_interface,
    nat_mode,
    destinations: [{ address: CONTAINER[family], port: 80, port_range_end: null, weight: 1, ...IN_ROTATION }],
  })

describe('A relay rule that names an interface', function () {
  const rig = new AnswersRig()
  const { answers, rulesets } = rig.kernel
  const seen = async (flow: (typeof FLOWS)[number], port: number): Promise<string | undefined> =>
    (await rig.talk(flow, port))?.seen.split(' ')[0]
  const put = async (choice: Choice): Promise<void> => {
    const rules = [relay(4, choice), relay(6, choice)]
    await rulesets.submit([], rules)
    await rulesets.saveForBoot([], rules)
  }
  const remove = async (port: number): Promise<void> => {
    const ids = [port * 10 + 4, port * 10 + 6]
    await rulesets.submit(ids, [])
    await rulesets.saveForBoot(ids, [])
  }
  const route = (family: Family, words: string): string => rig.b.run('sh', ['-c', `${ip(family)} route ${words}`])
  const ours = (): string =>
    rig.b
      .run('sh', ['-c', 'nft list tables; ip rule; ip -6 rule; ip route show table all; ip -6 route show table all'])
      .split('\n')
      .filter((line) => /panel_answers|proto 84|19995/.test(line))
      .join('\n')
  before(async () => {
    await rig.open()
    for (const { protocol, family } of FLOWS) {
      await rig.container.calls.listen({ protocol, address: CONTAINER[family], port: 80 })
      await rig.programs.listen({ protocol, address: INNER[family], port: OWN })
    }
    await put({ port: UNNAMED, bind_interface: null })
  })
  after(() => rig.close())

  it('is answered by the default route of the host if that interface has none, and is lost', async () => {
    await put({ port: RELAYED, bind_interface: UPLINK })
    for (const flow of FLOWS) assert.equal(await seen(flow, RELAYED), undefined)
    assert.deepEqual(await answers.uplinks(), [])
    assert.equal(ours(), '')
  })

  it('is answered by that interface as soon as it has a default route, whatever its metric', async () => {
    for (const family of [4, 6] as const) route(family, `add default via ${INNER_OF_A[family]} metric 4000`)
    await answers.follow()
    assert.deepEqual(
      await answers.uplinks(),
      ([4, 6] as const).map((family) => ({ interface_name: UPLINK, family, gateway: INNER_OF_A[family] })),
    )
    for (const flow of FLOWS) assert.equal(await seen(flow, RELAYED), CLIENT[flow.family])
  })

  for (const nat_mode of ['masquerade', 'none'] as const)
    it(`is answered so with NAT ${nat_mode}`, async () => {
      await put({ port: RELAYED, bind_interface: UPLINK, nat_mode })
      for (const flow of FLOWS)
        assert.equal(await seen(flow, RELAYED), nat_mode === 'none' ? CLIENT[flow.family] : BRIDGE[flow.family])
    })

  it('changes no way but that of its own connections', async () => {
    for (const flow of FLOWS) {
      assert.equal(await seen(flow, UNNAMED), undefined, 'a rule that names none')
      assert.equal(await seen(flow, OWN), undefined, 'a program of the host')
    }
  })

  it('answers a neighbour on the interface itself, past the gateway', async () => {
    for (const family of [4, 6] as const)
      route(family, `replace default via ${family === 4 ? '172.17.9.9' : 'fd17:9::9'} dev ${UPLINK} onlink metric 4000`)
    await answers.follow()
    for (const flow of FLOWS) {
      const address = INNER[flow.family]
      const talk = await rig.a.calls.talk({ protocol: flow.protocol, address, port: RELAYED })
      assert.equal(talk?.seen.split(' ')[0], INNER_OF_A[flow.family])
      assert.equal(await seen(flow, RELAYED), undefined, 'the gateway is nobody')
    }
    for (const family of [4, 6] as const)
      route(family, `replace default via ${INNER_OF_A[family]} dev ${UPLINK} metric 4000`)
    await answers.follow()
  })

  it('is answered by way of a gateway of the other family', async () => {
    route(4, `replace default via inet6 ${INNER_OF_A[6]} dev ${UPLINK} metric 4000`)
    await answers.follow()
    assert.equal((await answers.uplinks())[0]?.gateway, INNER_OF_A[6])
    assert.equal(await seen({ protocol: 'tcp', family: 4 }, RELAYED), CLIENT[4])
    route(4, `replace default via ${INNER_OF_A[4]} dev ${UPLINK} metric 4000`)
    await answers.follow()
  })

  it('is answered by it where the default route is shared by several', async () => {
    const main = route(4, 'show default metric 0').trim()
    route(4, `replace default nexthop via 192.0.2.1 dev wan nexthop via ${INNER_OF_A[4]} dev ${UPLINK}`)
    await answers.follow()
    for (let times = 0; times < 5; times += 1)
      assert.equal(await seen({ protocol: 'tcp', family: 4 }, RELAYED), CLIENT[4])
    route(4, `replace ${main}`)
    await answers.follow()
  })

  it('has nothing of its own while the host sends by that interface alone', async () => {
    const first = ([4, 6] as const).map((family) => route(family, 'show default dev wan').trim())
    for (const family of [4, 6] as const) route(family, 'del default dev wan')
    await answers.follow()
    assert.deepEqual(await answers.uplinks(), [])
    assert.equal(ours(), '')
    for (const flow of FLOWS) assert.equal(await seen(flow, RELAYED), CLIENT[flow.family])
    for (const [at, family] of ([4, 6] as const).entries()) route(family, `add ${first[at]} dev wan`)
    await answers.follow()
    for (const flow of FLOWS) assert.equal(await seen(flow, RELAYED), CLIENT[flow.family])
  })

  it('has nothing of its own while that interface is down', async () => {
    rig.ip(`link set ${UPLINK} down`)
    await answers.follow()
    assert.deepEqual(await answers.uplinks(), [])
    assert.equal(ours(), '')
    rig.ip(`link set ${UPLINK} up`, `addr replace ${INNER[6]}/126 dev ${UPLINK} nodad`)
    for (const family of [4, 6] as const)
      route(family, `replace default via ${INNER_OF_A[family]} dev ${UPLINK} metric 4000`)
    await answers.follow()
    for (const flow of FLOWS) assert.equal(await seen(flow, RELAYED), CLIENT[flow.family])
  })

  const LOSSES: Readonly<Record<string, () => void>> = {
    'a rule of the routing': () => rig.b.run('ip', ['-4', 'rule', 'del', 'priority', '19995']),
    'a neighbour': () => rig.b.run('sh', ['-c', `ip route flush proto 84 table all ${INNER[4]}/30`]),
    'the default route': () => rig.b.run('sh', ['-c', 'ip -6 route flush proto 84 table all default']),
    'the table': () => rig.nft('delete table inet panel_answers'),
    'an element of a map': () => rig.nft('flush map inet panel_answers uplink'),
  }
  for (const [what, lose] of Object.entries(LOSSES))
    it(`is not claimed to be answered so without ${what}, which comes back with the next change of the rule`, async () => {
      lose()
      assert.deepEqual(await answers.uplinks(), [])
      await put({ port: RELAYED, bind_interface: UPLINK })
      assert.equal((await answers.uplinks()).length, 2)
      for (const flow of FLOWS) assert.equal(await seen(flow, RELAYED), CLIENT[flow.family])
    })

  it('leaves nothing behind once no rule names it', async () => {
    await remove(RELAYED)
    assert.deepEqual(await answers.uplinks(), [])
    assert.equal(ours(), '')
  })
})
