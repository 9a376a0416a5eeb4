// path.ping, path.mtu and path.trace through the real helper and kernel, over a router whose far link is smaller.
import assert from 'node:assert/strict'
import type { MtuParams, MtuStep, PingPacket, PingParams, TraceHop } from '@panel/shared/path/model.ts'
import { eventually } from '../support/eventually.ts'
import { FAR, FAR_V6, PathRig, ROUTER } from './path-rig.ts'

const ENDS = { interface_name: '', source_address: '', target_address: FAR }
const PING: PingParams = {
  ...ENDS,
  count: 3,
  interval_ms: 10,
  timeout_ms: 300,
  packet_size: 56,
  is_dont_fragment: false,
}
const MTU: MtuParams = { ...ENDS, min: 1200, max: 1500, timeout_ms: 200 }
const NEVER = new AbortController().signal

describe('A path of the real kernel', function () {
  const rig = new PathRig()
  before(() => rig.open())
  beforeEach(() => rig.clear())
  after(() => rig.close())

  async function ping(
    params: Partial<PingParams>,
    signal = NEVER,
  ): Promise<{ packets: PingPacket[]; sent: number; received: number }> {
    const packets: PingPacket[] = []
    const result = await rig.client.stream(
      'path.ping',
      { ...PING, ...params },
      (item) => void packets.push(...item.packets),
      signal,
    )
    return { packets, ...result }
  }
  async function mtu(
    params: Partial<MtuParams>,
  ): Promise<{ steps: MtuStep[]; path_mtu: number | null; reported_mtu: number | null; detail: string }> {
    const steps: MtuStep[] = []
    const result = await rig.client.stream('path.mtu', { ...MTU, ...params }, (step) => void steps.push(step), NEVER)
    return { steps, ...result }
  }
  async function trace(
    target_address: string,
    max_hops = 5,
  ): Promise<{ hops: TraceHop[]; is_reached: boolean; detail: string }> {
    const hops: TraceHop[] = []
    const result = await rig.client.stream(
      'path.trace',
      { ...ENDS, target_address, max_hops, probes: 2, timeout_ms: 300 },
      (hop) => void hops.push(hop),
      NEVER,
    )
    return { hops, ...result }
  }

  for (const [family, target_address, left] of [
    ['IPv4', FAR, 63],
    ['IPv6', FAR_V6, 63],
  ] as const) {
    it(`answers each of three echo requests over ${family}`, async () => {
      const { packets, sent, received } = await ping({ target_address })
      assert.deepEqual([sent, received], [3, 3])
      assert.deepEqual(
        packets.map(({ sequence, outcome, from_address, hop_limit, detail }) => ({
          sequence,
          outcome,
          from_address,
          hop_limit,
          detail,
        })),
        [1, 2, 3].map((sequence) => ({
          sequence,
          outcome: 'reply',
          from_address: target_address,
          hop_limit: left,
          detail: '',
        })),
      )
      for (const { rtt_us, sent_at_ms } of packets)
        assert.ok(rtt_us !== null && rtt_us > 0 && rtt_us < 200_000 && Math.abs(Date.now() - sent_at_ms) < 60_000)
    })

    it(`is as wide as its smallest link over ${family}, as the router says`, async () => {
      const { steps, path_mtu, reported_mtu } = await mtu({ target_address })
      assert.deepEqual([path_mtu, reported_mtu], [1400, 1400])
      assert.deepEqual(
        steps.map(({ packet_size, outcome }) => [packet_size, outcome]),
        [
          [1200, 'fits'],
          [1500, 'too_big'],
          [1400, 'fits'],
          [1401, 'too_big'],
        ],
      )
    })

    it(`is found as wide over ${family} where the router says nothing`, async () => {
      rig.router.filter(
        'chain out { type filter hook output priority 0; icmp type destination-unreachable drop; icmpv6 type packet-too-big drop; }',
      )
      const { steps, path_mtu, reported_mtu } = await mtu({ target_address, min: 1390, max: 1410 })
      assert.deepEqual([path_mtu, reported_mtu], [1400, null])
      assert.deepEqual(new Set(steps.map(({ outcome }) => outcome)), new Set(['fits', 'no_answer']))
    })

    it(`has the router and then the target as its hops over ${family}`, async () => {
      const { hops, is_reached } = await trace(target_address)
      assert.ok(is_reached)
      assert.deepEqual(
        hops.map(({ hop_limit, addresses }) => [hop_limit, ...addresses]),
        [
          [1, family === 'IPv4' ? ROUTER : 'fd01::1'],
          [2, target_address],
        ],
      )
      for (const { rtts_us } of hops) assert.ok(rtts_us.length === 2 && rtts_us.every((rtt) => rtt !== null))
    })
  }

  it('says what this host refuses as too large for its own link', async () => {
    const { steps, path_mtu } = await mtu({ target_address: ROUTER, max: 9000 })
    assert.equal(path_mtu, 1500)
    const refused = steps.filter(({ outcome }) => outcome === 'refused')
    assert.ok(
      refused.length > 0 &&
        refused.every(
          ({ packet_size, detail }) => packet_size > 1500 && /EMSGSIZE.*this server's own link/.test(detail),
        ),
    )
  })

  it('has no width where nothing comes back at all', async () => {
    rig.far.filter('chain in { type filter hook input priority 0; icmp type echo-request drop; }')
    const { path_mtu, detail } = await mtu({})
    assert.equal(path_mtu, null)
    assert.match(detail, /Not even 1200 bytes arrive: No answer/)
  })

  it('tells who says that a packet does not fit, and what would', async () => {
    const { packets } = await ping({ packet_size: 1450, is_dont_fragment: true, count: 1 })
    assert.deepEqual(
      packets.map(({ outcome, from_address, reported_mtu }) => [outcome, from_address, reported_mtu]),
      [['too_big', ROUTER, 1400]],
    )
    const { received } = await ping({ packet_size: 1450 })
    assert.equal(received, 3)
  })

  it('tells what a filter on the way says, and nothing where it says nothing', async () => {
    rig.far.filter(
      'chain in { type filter hook input priority 0; icmp type echo-request reject with icmp type host-prohibited; }',
    )
    const refused = await ping({ count: 1 })
    assert.deepEqual(
      refused.packets.map(({ outcome, from_address, detail }) => [outcome, from_address, detail]),
      [['unreachable', FAR, `${FAR} says: a filter prohibits it`]],
    )
    rig.far.filter('chain in { type filter hook input priority 0; icmp type echo-request drop; }')
    const silent = await ping({ count: 2 })
    assert.deepEqual(
      silent.packets.map(({ outcome, detail, rtt_us }) => [outcome, detail, rtt_us]),
      Array(2).fill(['timeout', 'No answer within 300 ms', null]),
    )
  })

  it('says why this host sends nothing', async () => {
    const whyNot = async (params: Partial<PingParams>): Promise<string> =>
      (await ping({ ...params, count: 1 })).packets.map(({ outcome, detail }) => `${outcome}: ${detail}`).join()
    assert.match(await whyNot({ interface_name: 'gone0' }), /not_sent: gone0: no such device \(ENODEV\)/)
    assert.match(
      await whyNot({ source_address: '10.77.0.1' }),
      /not_sent: .*(EINVAL|ENETUNREACH).*10\.77\.0\.1 .*address of this server/,
    )
    assert.match(await whyNot({ target_address: '10.1.0.255' }), /not_sent: .*EACCES.*broadcast/)
    rig.near.filter('chain out { type filter hook output priority 0; icmp type echo-request drop; }')
    assert.match(await whyNot({}), /not_sent: .*EPERM.*a firewall rule of this server/)
    rig.near.filter()
    rig.near.ip('route del default')
    assert.match(await whyNot({}), /not_sent: .*ENETUNREACH.*no route/)
    rig.near.ip(`route add default via ${ROUTER}`)
  })

  it('is sent from the wanted address', async () => {
    rig.far.filter('chain in { type filter hook input priority 0; ip saddr 10.1.0.2 icmp type echo-request drop; }')
    assert.equal((await ping({ source_address: '10.1.0.2' })).received, 0)
    assert.equal((await ping({ source_address: '10.1.0.3' })).received, 3)
  })

  it('takes no address of many hosts', async () => {
    for (const target_address of ['224.0.0.1', 'ff02::1', '0.0.0.0', '255.255.255.255'])
      await assert.rejects(ping({ target_address }))
  })

  it('ends a ping that is stopped, with what it has come to', async () => {
    const ending = new AbortController()
    const packets: PingPacket[] = []
    const ended = rig.client.stream(
      'path.ping',
      { ...PING, count: 10_000, interval_ms: 20 },
      (item) => void packets.push(...item.packets),
      ending.signal,
    )
    await eventually(() => packets.length >= 5)
    ending.abort()
    const { sent, received } = await ended
    assert.ok(sent >= 5 && sent < 1000 && received <= sent && received >= 5)
  })

  it('ends a trace at the hop that says that it cannot be reached', async () => {
    rig.router.ip('route add unreachable 10.8.0.0/24')
    const { hops, is_reached, detail } = await trace('10.8.0.1')
    assert.deepEqual([hops.length, is_reached, detail], [1, false, `${ROUTER} says: host unreachable`])
  })
})
