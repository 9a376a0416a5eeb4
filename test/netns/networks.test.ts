// Networks with real traffic: an address of B that is on no tunnel is reached and answered by two of them, and what is
// under way outlives the loss of either.
import assert from 'node:assert/strict'
import { CLIENT, CONTAINER, FLOWS, FRONT, MAIN, TUNNEL } from './answers-rig.ts'
import { BEHIND_A, NetworksRig, OWN, portOf, TUNNELS, type Weights } from './networks-rig.ts'

const MANY_CLIENTS = {
  4: Array.from({ length: 60 }, (_, at) => `203.0.113.${at + 100}`),
  6: Array.from({ length: 60 }, (_, at) => `2001:db8:c::${at + 100}`),
} as const

describe('A network with two paths', function () {
  const rig = new NetworksRig()
  const seen = async (flow: (typeof FLOWS)[number]): Promise<string | undefined> =>
    (await rig.ask(flow))?.seen.split(' ')[0]
  const isWhole = () => rig.kernel.answers.isWhole()
  before(async () => {
    await rig.open()
    rig.client.batch(
      ...MANY_CLIENTS[4].map((address) => `addr add ${address}/24 dev eth0`),
      ...MANY_CLIENTS[6].map((address) => `addr add ${address}/128 dev eth0 nodad preferred_lft 0`),
    )
  })
  after(() => rig.close())

  it('is what own addresses need: without it nobody answers for them, and with them alone the answers are lost', async () => {
    for (const flow of FLOWS) assert.equal(await seen(flow), undefined)
    rig.ip(`addr add ${OWN[4]}/32 dev lo`, `addr add ${OWN[6]}/128 dev lo`)
    for (const flow of FLOWS) assert.equal(await seen(flow), undefined)
    rig.ip(`addr del ${OWN[4]}/32 dev lo`, `addr del ${OWN[6]}/128 dev lo`)
  })

  it('is whole once it is made', async () => {
    await rig.take(rig.wanted([1, 1]))
    assert.deepEqual(
      (await rig.found())?.map(({ lacks }) => lacks),
      [[], []],
    )
    assert.equal(await isWhole(), true)
  })

  const WAYS: readonly (readonly [what: string, of_a: Weights, of_b: Weights])[] = [
    ['by both, and answered by both', [1, 1], [1, 1]],
    ['by both, and answered by the second', [1, 1], [0, 1]],
    ['by the first, and answered by the second', [1, 0], [0, 1]],
    ['by the second, which carries nothing here, and answered by the first', [0, 1], [1, 0]],
  ]
  for (const [what, ofA, ofB] of WAYS)
    it(`lets programs answer the client what comes ${what}`, async () => {
      rig.leadFromA(ofA)
      await rig.take(rig.wanted(ofB))
      for (const flow of FLOWS) assert.equal(await seen(flow), CLIENT[flow.family], `${flow.protocol}${flow.family}`)
    })

  it('carries what this host begins, from its own address where that is the source', async () => {
    for (const family of [4, 6] as const)
      await rig.a.calls.listen({ protocol: 'tcp', address: BEHIND_A[family], port: 80 })
    for (const weights of [
      [1, 0],
      [0, 1],
      [1, 1],
    ] as const) {
      const [four, six] = rig.wanted(weights)
      await rig.take([
        { ...four!, source: OWN[4] },
        { ...six!, source: OWN[6] },
      ])
      for (const family of [4, 6] as const) {
        const talk = await rig.programs.talk({ protocol: 'tcp', address: BEHIND_A[family], port: 80 })
        assert.equal(talk?.seen.split(' ')[0], OWN[family])
      }
    }
  })

  it('spreads clients by weight, and all of them live when one path is taken out and put back (N8)', async () => {
    rig.leadFromA([1, 1])
    await rig.take(rig.wanted([3, 1]))
    for (const family of [4, 6] as const) {
      rig.arrived()
      const place = { protocol: 'tcp', address: FRONT[family], port: portOf(3001, family) } as const
      // The kernel looks the way of a host's own answers up without their ports, so only clients are spread.
      assert.equal(await rig.client.calls.gather(60, place, MANY_CLIENTS[family]), 60)
      const [first, second] = rig.arrived()
      assert.ok(first > second && second > 0, `${first} and ${second} answers`)
      for (const weights of [
        [0, 1],
        [1, 0],
        [3, 1],
      ] as const) {
        await rig.take(rig.wanted(weights))
        rig.arrived()
        assert.equal(await rig.client.calls.answering(60), 60)
        const by = rig.arrived()
        assert.deepEqual(
          by.map((packets) => packets > 0),
          weights.map((weight) => weight > 0),
        )
      }
      await rig.client.calls.disperse()
    }
  })

  it('lets what is under way outlive a silent cut, once both ends have taken the path out (N7)', async () => {
    rig.leadFromA([1, 0])
    await rig.take(rig.wanted([1, 0]))
    for (const family of [4, 6] as const) {
      const place = { protocol: 'tcp', address: FRONT[family], port: portOf(3001, family) } as const
      await rig.client.calls.gather(20, place)
      await rig.client.calls.askOnFlow(`flow ${family}`, { ...place, protocol: 'udp' })
    }
    rig.cutFirst()
    for (const flow of FLOWS) assert.equal(await seen(flow), undefined)
    // What is sent meanwhile is sent again by TCP itself.
    await rig.client.calls.chat()
    rig.leadFromA([0, 1])
    await rig.take(rig.wanted([0, 1]))
    assert.equal(await rig.client.calls.answering(40), 40)
    await rig.client.calls.disperse()
    for (const family of [4, 6] as const) {
      const place = { protocol: 'udp', address: FRONT[family], port: portOf(3001, family) } as const
      const talk = await rig.client.calls.askOnFlow(`flow ${family}`, place)
      assert.equal(talk?.seen.split(' ')[0], CLIENT[family])
    }
    for (const flow of FLOWS) assert.equal(await seen(flow), CLIENT[flow.family])
    await rig.client.calls.release()
    rig.mendFirst()
  })

  it('answers what comes by another link by that one, as ever', async () => {
    rig.leadFromA([1, 1])
    await rig.take(rig.wanted([1, 1]))
    for (const { protocol, family } of FLOWS) {
      const place = { protocol, address: OWN[family], port: portOf(3001, family) }
      const talk = await rig.container.calls.talk(place)
      assert.equal(talk?.seen.split(' ')[0], CONTAINER[family], `${protocol} of IPv${family}`)
      assert.ok(await rig.programs.talk({ ...place, address: MAIN[family] }), 'the host itself')
    }
  })

  const LOSSES: Readonly<Record<string, () => void>> = {
    'the rules': () => {
      for (const ip of ['-4', '-6'])
        rig.b.run('sh', ['-c', `while ip ${ip} rule del priority 19995 2>/dev/null; do :; done`])
    },
    'a route of a table of answers': () => rig.b.run('ip', ['-4', 'route', 'flush', 'table', `${0x5400_ffff}`]),
    'a hop of it': () =>
      rig.b.run('sh', ['-c', `ip -6 route replace default via fd17::1 dev ${TUNNEL} proto 84 table ${0x5400_fffe}`]),
    'the table of marks': () => rig.nft('delete table inet panel_answers'),
    'a path in its sets': () => rig.nft(`delete element inet panel_answers link4 { "${TUNNELS[1]}" . ${OWN[4]} }`),
    'arrivals of a path, which the kernel is to drop': () =>
      rig.b.run('sysctl', ['-qw', `net.ipv4.conf.${TUNNELS[1]}.rp_filter=1`]),
  }
  for (const [what, lose] of Object.entries(LOSSES))
    it(`is not whole without ${what}, and is put right`, async () => {
      lose()
      assert.equal(await isWhole(), false)
      await rig.kernel.answers.follow()
      assert.equal(await isWhole(), true)
      for (const flow of FLOWS) assert.equal(await seen(flow), CLIENT[flow.family])
    })

  it('goes on by the other path when the link of one is gone, and by both when it comes back', async () => {
    rig.leadFromA([0, 1])
    rig.ip(`link del ${TUNNEL}`)
    await rig.kernel.networks.follow()
    await rig.kernel.answers.follow()
    assert.equal(await isWhole(), true)
    for (const flow of FLOWS) assert.equal(await seen(flow), CLIENT[flow.family])
    rig.makeTunnel()
    await rig.kernel.networks.follow()
    await rig.kernel.answers.follow()
    rig.leadFromA([1, 0])
    await rig.take(rig.wanted([1, 0]))
    for (const flow of FLOWS) assert.equal(await seen(flow), CLIENT[flow.family])
  })

  it('has numbers apart from those of tunnels that are answered through, and lives beside them', async () => {
    await rig.kernel.answers.start(TUNNEL)
    assert.equal(await isWhole(), true)
    for (const flow of FLOWS) {
      assert.equal(await seen(flow), CLIENT[flow.family])
      assert.ok((await rig.kernel.answers.found())[0]?.is_whole)
    }
    await rig.kernel.answers.stop(TUNNEL)
    for (const flow of FLOWS) assert.equal(await seen(flow), CLIENT[flow.family])
  })

  it('leaves nothing behind, and the filters of its links as they were', async () => {
    const filter = (): string => rig.b.run('cat', [`/proc/sys/net/ipv4/conf/${TUNNELS[1]}/rp_filter`]).trim()
    assert.equal(filter(), '2')
    await rig.take(null)
    assert.equal(filter(), '1')
    for (const family of ['-4', '-6']) {
      assert.equal(rig.b.run('ip', [family, 'route', 'list', 'table', 'all', 'proto', '84']), '')
      assert.ok(!rig.b.run('ip', [family, 'rule', 'list']).includes('19995:'))
    }
    assert.ok(!rig.b.run('nft', ['list', 'tables']).includes('panel_answers'))
    assert.ok(!rig.b.run('ip', ['address', 'show', 'dev', 'lo']).includes('66'))
  })
})
