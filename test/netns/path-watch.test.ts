// path.watch through the real helper and kernel: many targets, each in its rhythm, and what becomes of them while they
// are watched.
import assert from 'node:assert/strict'
import type { WatchResult, WatchTarget } from '@panel/shared/path/model.ts'
import { eventually } from '../support/eventually.ts'
import { FAR, FAR_V6, PathRig } from './path-rig.ts'

const target = (target_id: number, more: Partial<WatchTarget> = {}): WatchTarget => ({
  target_id,
  interface_name: '',
  source_address: '',
  target_address: FAR,
  interval_ms: 200,
  timeout_ms: 300,
  packet_size: 56,
  ...more,
})

describe('A watch of the real kernel', function () {
  const rig = new PathRig()
  let received: WatchResult[]
  let watch_id: number
  let ending: AbortController
  let ended: Promise<unknown>

  before(() => rig.open())
  beforeEach(() => rig.clear())
  after(() => rig.close())
  afterEach(async () => {
    ending.abort()
    await ended
  })

  async function watch(...targets: WatchTarget[]): Promise<void> {
    received = []
    watch_id = 0
    ending = new AbortController()
    ended = rig.client.stream(
      'path.watch',
      { targets },
      (item) => {
        watch_id = item.watch_id
        assert.equal(item.lost, 0)
        received.push(...item.results)
      },
      ending.signal,
    )
    await Promise.race([ended, eventually(() => watch_id > 0)])
  }
  const of = (id: number): WatchResult[] => received.filter(({ target_id }) => target_id === id)
  const last = (id: number): string => of(id).at(-1)?.outcome ?? ''
  const change = (put: WatchTarget[], gone: number[] = []) =>
    rig.client.request('path.watch_change', { watch_id, put, gone })
  const rawSockets = (): number =>
    ['raw', 'raw6'].flatMap((name) =>
      rig.near
        .run('cat', [`/proc/net/${name}`])
        .trim()
        .split('\n')
        .slice(1),
    ).length

  it('hears of every target in its rhythm, over both families', async () => {
    await watch(target(1), target(2, { target_address: FAR_V6 }), target(3, { interval_ms: 400, packet_size: 0 }))
    await eventually(() => of(3).length >= 3)
    for (const id of [1, 2, 3]) {
      assert.ok(
        of(id).every(
          ({ outcome, rtt_us, detail, pending }) =>
            outcome === 'reply' && rtt_us !== null && rtt_us > 0 && detail === '' && pending === 0,
        ),
        JSON.stringify(of(id)),
      )
      assert.deepEqual(
        of(id).map(({ sequence }) => sequence),
        of(id).map((_, at) => at + 1),
      )
    }
  })

  it('tells what was lost, and what is refused on the way, and what this host itself drops', async () => {
    await watch(target(1))
    await eventually(() => last(1) === 'reply')
    rig.far.filter('chain in { type filter hook input priority 0; icmp type echo-request drop; }')
    await eventually(() => last(1) === 'timeout')
    rig.far.filter('chain in { type filter hook input priority 0; icmp type echo-request reject; }')
    await eventually(() => last(1) === 'unreachable')
    rig.near.filter('chain out { type filter hook output priority 0; icmp type echo-request drop; }')
    await eventually(() => last(1) === 'not_sent')
    rig.clear()
    await eventually(() => last(1) === 'reply')
  })

  it('follows an interface that goes and comes again', async () => {
    rig.near.ip('link add w0 type veth peer name w1', 'addr add 10.5.0.1/30 dev w0', 'link set w0 up', 'link set w1 up')
    await watch(target(1, { interface_name: 'w0', target_address: '10.5.0.1' }), target(2))
    await eventually(() => of(1).length > 0)
    rig.near.ip('link del w0')
    await eventually(() => /w0: no such device \(ENODEV\)/.test(of(1).at(-1)?.detail ?? ''))
    assert.equal(last(1), 'not_sent')
    rig.near.ip('link add w0 type veth peer name w1', 'addr add 10.5.0.1/30 dev w0', 'link set w0 up', 'link set w1 up')
    await eventually(() => last(1) !== 'not_sent')
    rig.near.ip('link del w0')
    assert.ok(of(2).every(({ outcome }) => outcome === 'reply'))
  })

  it('takes no answer that comes back by another interface than its request left by', async () => {
    const pid = rig.router.child.pid
    rig.near.ip(
      `link add t0 type veth peer name t0 netns ${pid}`,
      `link add t1 type veth peer name t1 netns ${pid}`,
      'addr add 10.6.0.1/30 dev t0',
      'addr add 10.6.1.1/30 dev t1',
      'link set t0 up',
      'link set t1 up',
    )
    rig.router.ip('addr add 10.6.0.2/30 dev t0', 'addr add 10.6.1.2/30 dev t1', 'link set t0 up', 'link set t1 up')
    for (const namespace of [rig.near, rig.router])
      namespace.run('sysctl', [
        '-qw',
        'net.ipv4.conf.all.rp_filter=0',
        'net.ipv4.conf.t0.rp_filter=0',
        'net.ipv4.conf.t1.rp_filter=0',
      ])
    await watch(target(1, { interface_name: 't0', source_address: '10.6.0.1', target_address: '10.6.0.2' }))
    await eventually(() => last(1) === 'reply')
    rig.router.ip('route add 10.6.0.1/32 via 10.6.1.1 dev t1')
    await eventually(() => last(1) === 'timeout')
    // Without an interface any may bring the answer.
    await change([target(1, { source_address: '10.6.0.1', target_address: '10.6.0.2' })])
    await eventually(() => last(1) === 'reply')
    rig.near.ip('link del t0', 'link del t1')
  })

  it('changes what it sends at once, and goes on counting', async () => {
    await watch(target(1), target(2))
    await eventually(() => of(1).length >= 2 && of(2).length >= 2)
    assert.deepEqual(await change([target(1, { interval_ms: 3_600_000 }), target(2), target(3)], []), {
      was_running: true,
    })
    received = []
    await eventually(() => of(3).length >= 3 && of(2).length >= 3)
    assert.ok(of(1).length <= 1, 'one more after the change, and then not for an hour')
    assert.deepEqual(
      of(2).map(({ sequence }) => sequence),
      of(2).map((_, at) => of(2)[0]!.sequence + at),
    )
    await change([], [2, 3])
    const gone = Date.now()
    received = []
    await change([target(1)])
    await eventually(() => of(1).length >= 3)
    assert.ok((of(1)[0]?.sequence ?? 0) > 2)
    // What was sent before may be reported afterwards.
    assert.ok(of(3).every(({ sent_at_ms }) => sent_at_ms <= gone))
    assert.deepEqual(await rig.client.request('path.watch_change', { watch_id: watch_id + 1, put: [], gone: [] }), {
      was_running: false,
    })
  })

  it('reports a target that may not be probed, and watches the others', async () => {
    await watch(target(1, { target_address: '224.0.0.1' }), target(2))
    await eventually(() => of(1).length > 0 && of(2).length > 0)
    assert.match(of(1)[0]?.detail ?? '', /multicast/)
    assert.deepEqual([last(1), last(2)], ['not_sent', 'reply'])
  })

  it('is refused where it would flood, as a whole, and changes nothing then', async () => {
    await watch(target(1))
    const flood = Array.from({ length: 2000 }, (_, at) => target(at + 1, { packet_size: 2000 }))
    await assert.rejects(change(flood), /bytes of echo requests in a second/)
    await assert.rejects(change(Array.from({ length: 2000 }, (_, at) => target(at + 2))), /2001 targets/)
    received = []
    await eventually(() => of(1).length >= 3)
    assert.deepEqual(new Set(received.map(({ target_id }) => target_id)), new Set([1]))
  })

  it('listens to ICMP with the first reader, and no more after the last', async () => {
    assert.equal(rawSockets(), 0)
    await watch(target(1), target(2, { target_address: FAR_V6 }))
    await eventually(() => of(1).length > 0 && of(2).length > 0)
    assert.equal(rawSockets(), 2)
    ending.abort()
    await ended
    assert.equal(rawSockets(), 0)
  })
})
