// Tunnels that are answered through, with real traffic: clients of A are answered by the tunnel that they came by, under
// their own addresses, whatever answers at B.
import assert from 'node:assert/strict'
import { exampleRule } from '../support/example-rule.ts'
import { answerMark, answersByHand } from '@panel/shared/ruleset/nft/answers.ts'
import {
  AnswersRig,
  CLIENT,
  CONTAINER,
  FLOWS,
  FRONT,
  INNER,
  INNER_OF_A,
  MAIN,
  TUNNEL,
  type Family,
} from './answers-rig.ts'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'

const EVERY = { 4: '0.0.0.0', 6: '::' } as const
/** Ports by who answers there; of IPv6 a hundred more. */
const PORTS = { 'a program on every address': 1001, "a program on the tunnel's own address": 1002 } as const
const PUBLISHED = 1003
const RELAYED = 1004
const WHO: Readonly<Record<string, number>> = {
  ...PORTS,
  'a published port of a container': PUBLISHED,
  'a relay rule of B with a mark of its own': RELAYED,
}
const portOf = (port: number, family: Family): number => port + (family === 6 ? 100 : 0)

const relayTo = (family: Family): RelayRule =>
  exampleRule({
    route_rule_id: family,
    sort_order: family,
    protocol: 'both',
    bind_address: INNER[family],
    bind_port: portOf(RELAYED, family),
    nat_mode: 'none',
    destinations: [{ address: CONTAINER[family], port: 81, port_range_end: null, weight: 1, ...IN_ROTATION }],
  })

/** Docker translates so, at this priority. */
const publish = (family: Family): string => {
  const ip = family === 4 ? 'ip' : 'ip6'
  const to = family === 4 ? CONTAINER[4] : `[${CONTAINER[6]}]`
  return ['tcp', 'udp']
    .map((protocol) => `fib daddr type local ${protocol} dport ${portOf(PUBLISHED, family)} dnat ${ip} to ${to}:80`)
    .join('\n')
}

async function startPrograms(rig: AnswersRig): Promise<void> {
  for (const { protocol, family } of FLOWS) {
    for (const [port, address] of [
      [1001, EVERY[family]],
      [1002, INNER[family]],
    ] as const)
      await rig.programs.listen({ protocol, address, port: portOf(port, family) })
    for (const port of [80, 81]) await rig.container.calls.listen({ protocol, address: CONTAINER[family], port })
  }
  rig.nft(
    `table inet published { chain in { type nat hook prerouting priority -100;\n${publish(4)}\n${publish(6)}\n}\n}\n`,
  )
  await rig.kernel.rulesets.submit([], [relayTo(4), relayTo(6)])
}

describe('A tunnel that is answered through', function () {
  const rig = new AnswersRig()
  const answers = rig.kernel.answers
  const seen = async (flow: (typeof FLOWS)[number], port: number): Promise<string | undefined> =>
    (await rig.talk(flow, portOf(port, flow.family)))?.seen.split(' ')[0]
  const isWhole = async (): Promise<boolean | undefined> => (await answers.found())[0]?.is_whole
  before(async () => {
    await rig.open()
    await startPrograms(rig)
  })
  after(() => rig.close())

  it('is not one by itself: without it the answers leave by the default route, and are lost', async () => {
    for (const flow of FLOWS)
      for (const [who, port] of Object.entries(WHO)) assert.equal(await seen(flow, port), undefined, `${who} answers`)
  })

  it('is one without the panel, too, by the lines that A gives, but for UDP to a program on every address', async () => {
    for (const family of [4, 6] as const)
      for (const line of answersByHand(7, INNER_OF_A[family], [INNER[family]])) rig.b.run('sh', ['-c', line])
    for (const flow of FLOWS)
      for (const [who, port] of Object.entries(WHO)) {
        const isLost = flow.protocol === 'udp' && who === 'a program on every address'
        const client = isLost ? undefined : CLIENT[flow.family]
        assert.equal(await seen(flow, port), client, `${who}, ${flow.protocol} of IPv${flow.family}`)
      }
    rig.b.run('sh', ['-c', 'nft delete table inet answered_7_ip; nft delete table inet answered_7_ip6'])
    for (const ip of ['ip', 'ip -6'])
      rig.b.run('sh', ['-c', `${ip} rule del lookup ${answerMark(7)}; ${ip} route flush table ${answerMark(7)}`])
  })

  it('holds what it needs once it is started, and nothing before', async () => {
    assert.deepEqual(await answers.found(), [])
    await answers.start(TUNNEL)
    assert.deepEqual(await answers.found(), [{ interface_name: TUNNEL, is_whole: true }])
  })

  for (const flow of FLOWS)
    for (const [who, port] of Object.entries(WHO))
      it(`lets ${who} answer ${flow.protocol} of IPv${flow.family}, and see the client`, async () => {
        assert.equal(await seen(flow, port), CLIENT[flow.family])
      })

  const LOSSES: Readonly<Record<string, () => void>> = {
    'the rule of IPv4': () => rig.b.run('ip', ['-4', 'rule', 'del', 'priority', '19995']),
    'the rule of IPv6': () => rig.b.run('ip', ['-6', 'rule', 'del', 'priority', '19995']),
    'the route of IPv4': () => rig.b.run('ip', ['-4', 'route', 'flush', 'table', '0x54000001']),
    'the route of IPv6': () => rig.b.run('ip', ['-6', 'route', 'flush', 'table', '0x54000001']),
    'the way of the route': () => rig.ip('route replace default via 192.0.2.1 dev wan proto 84 table 0x54000001'),
    'the table': () => rig.nft('delete table inet panel_answers'),
    'the lines of a chain': () => rig.nft('flush chain inet panel_answers answered'),
    'the chain of what the host sends': () =>
      rig.nft('flush chain inet panel_answers answered_out\ndelete chain inet panel_answers answered_out'),
    'an element of a map': () => rig.nft(`delete element inet panel_answers answer4 { ${INNER[4]} }`),
    'the elements of a set': () => rig.nft('flush map inet panel_answers own6'),
    'the link, which was made again': () => {
      rig.ip(`link del ${TUNNEL}`)
      rig.makeTunnel()
    },
    'the route, with a link that went down': () => {
      rig.ip(`link set ${TUNNEL} down`, `link set ${TUNNEL} up`, `addr replace ${INNER[6]}/126 dev ${TUNNEL} nodad`)
      rig.a.batch(`addr replace fd17::1/126 dev tun0 nodad`)
    },
    'arrivals, which the kernel is told to drop': () =>
      rig.b.run('sysctl', ['-qw', `net.ipv4.conf.${TUNNEL}.rp_filter=1`]),
  }
  for (const [what, lose] of Object.entries(LOSSES))
    it(`is not whole without ${what}, and is put right`, async () => {
      lose()
      assert.equal(await isWhole(), false)
      await answers.follow()
      assert.equal(await isWhole(), true)
      for (const flow of FLOWS) assert.equal(await seen(flow, 1001), CLIENT[flow.family])
    })

  it('looks the way back up for each packet, so that a connection lives when the address moves to another tunnel', async () => {
    const place = { protocol: 'tcp', address: FRONT[4], port: 1001 } as const
    await rig.client.calls.hold('moved', place)
    rig.ip(`link add gre-a-2 type veth peer name tun1 netns ${rig.a.child.pid}`)
    await answers.start('gre-a-2')
    rig.ip(`addr del ${INNER[4]}/30 dev ${TUNNEL}`, `addr add ${INNER[4]}/30 dev gre-a-2`, 'link set gre-a-2 up')
    rig.a.batch('addr del 172.17.1.1/30 dev tun0', 'addr add 172.17.1.1/30 dev tun1', 'link set tun1 up')
    await answers.follow()
    assert.equal(await rig.client.calls.say('moved'), true)
    rig.ip('link del gre-a-2', `addr add ${INNER[4]}/30 dev ${TUNNEL}`)
    rig.a.batch('addr add 172.17.1.1/30 dev tun0')
    await answers.stop('gre-a-2')
    assert.equal(await rig.client.calls.say('moved'), true)
    await rig.client.calls.release()
  })

  it('needs a default route for the programs of the host, for which one by the tunnel that comes last will do', async () => {
    const own = rig.b.run('sh', ['-c', 'ip route show default; ip -6 route show default']).trim().split('\n')
    assert.equal(own.length, 2)
    for (const ip of ['ip', 'ip -6']) rig.b.run('sh', ['-c', `${ip} route del default`])
    await answers.follow()
    for (const flow of FLOWS)
      for (const [who, port] of Object.entries(PORTS)) assert.equal(await seen(flow, port), undefined, `${who} answers`)
    for (const ip of ['ip', 'ip -6']) rig.b.run('sh', ['-c', `${ip} route add default dev ${TUNNEL} metric 4000000000`])
    await answers.follow()
    for (const flow of FLOWS)
      for (const [who, port] of Object.entries(WHO)) assert.equal(await seen(flow, port), CLIENT[flow.family], who)
    for (const [at, ip] of ['ip', 'ip -6'].entries())
      rig.b.run('sh', ['-c', `${ip} route del default dev ${TUNNEL}; ${ip} route add ${own[at]}`])
    await answers.follow()
  })

  it('takes the address of the host as it is: one that changes is followed', async () => {
    rig.b.run('sysctl', ['-qw', 'net.ipv4.conf.wan.promote_secondaries=1'])
    rig.ip(`addr add 192.0.2.9/24 dev wan`, `addr del ${MAIN[4]}/24 dev wan`, 'route replace default via 192.0.2.1')
    assert.equal(await isWhole(), false)
    await answers.follow()
    assert.equal(await seen({ protocol: 'udp', family: 4 }, 1001), CLIENT[4])
    rig.ip(`addr add ${MAIN[4]}/24 dev wan`, 'addr del 192.0.2.9/24 dev wan', 'route replace default via 192.0.2.1')
    await answers.follow()
    assert.equal(await seen({ protocol: 'udp', family: 4 }, 1001), CLIENT[4])
  })

  it('needs no more than what a link that is up calls for: one that is down leaves nothing', async () => {
    rig.ip(`link set ${TUNNEL} down`)
    await answers.follow()
    assert.deepEqual(ofOurs(), ['', '', ''])
    assert.equal(await isWhole(), true)
    rig.ip(`link set ${TUNNEL} up`, `addr replace ${INNER[6]}/126 dev ${TUNNEL} nodad`)
    await answers.follow()
    assert.equal(await seen({ protocol: 'tcp', family: 6 }, 1001), CLIENT[6])
  })

  it('leaves nothing behind when it is stopped, and the filter of its link as it was', async () => {
    assert.equal(rig.b.run('cat', [`/proc/sys/net/ipv4/conf/${TUNNEL}/rp_filter`]).trim(), '2')
    await answers.stop(TUNNEL)
    assert.deepEqual(await answers.found(), [])
    assert.deepEqual(ofOurs(), ['', '', ''])
    assert.equal(rig.b.run('cat', [`/proc/sys/net/ipv4/conf/${TUNNEL}/rp_filter`]).trim(), '1')
  })

  /** The rules, the routes and the table of ours, by `ip` and `nft`. */
  function ofOurs(): string[] {
    const all = [4, 6].map((family) => rig.b.run('ip', [`-${family}`, 'rule', 'list']))
    const routes = [4, 6].map((family) =>
      rig.b.run('ip', [`-${family}`, 'route', 'list', 'table', 'all', 'proto', '84']),
    )
    const rules = all.flatMap((text) => text.split('\n').filter((line) => line.startsWith('19995:')))
    const tables = rig.b
      .run('nft', ['list', 'tables'])
      .split('\n')
      .filter((line) => line.includes('panel_answers'))
    return [rules.join(), routes.join(''), tables.join()]
  }
})

for (const backend of ['iptables_nft', 'iptables_legacy'] as const)
  describe(`A tunnel that is answered through, beside relay rules in ${backend}`, function () {
    const rig = new AnswersRig({ PANEL_RULE_BACKEND: backend })
    before(async () => {
      await rig.open()
      await startPrograms(rig)
    })
    after(() => rig.close())

    it('lets everybody at B answer, relay rules too, by a table of its own', async () => {
      await rig.kernel.answers.start(TUNNEL)
      for (const flow of FLOWS)
        for (const [who, port] of Object.entries(WHO)) {
          const talk = await rig.talk(flow, portOf(port, flow.family))
          assert.equal(talk?.seen.split(' ')[0], CLIENT[flow.family], `${who} answers ${flow.protocol}`)
        }
      await rig.kernel.answers.stop(TUNNEL)
    })
  })
