// A search of the path MTU and a trace over networks in memory that lose packets, keep silent or do not tell the truth.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { MtuResult, MtuStep, TraceHop, TraceResult } from '@panel/shared/path/model.ts'
import { pathHandlers } from '@panel/root-helper/path/handlers.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { FakeIcmp, type FakeAnswer } from '../../support/fake-icmp.ts'

const ENDS = { interface_name: '', source_address: '', target_address: '10.0.0.2' }

/** Runs a stream to its end, as the clock goes. */
async function collect<I, R>(clock: FakeClock, stream: AsyncGenerator<I, R, void>): Promise<{ items: I[]; result: R }> {
  const items: I[] = []
  const ended = (async () => {
    for (;;) {
      const next = await stream.next()
      if (next.done) return next.value
      items.push(next.value)
    }
  })()
  let result: { value: R } | null = null
  ended.then(
    (value) => (result = { value }),
    () => undefined,
  )
  for (let turns = 0; !result && turns < 2000; turns += 1) await clock.advance(50)
  return { items, result: await ended }
}

describe('A search of the path MTU', () => {
  const search = async (
    answer: (size: number) => FakeAnswer,
    min = 1200,
    max = 1500,
  ): Promise<{ items: MtuStep[]; result: MtuResult }> => {
    const clock = new FakeClock()
    const icmp = new FakeIcmp(clock)
    icmp.answer = ({ packet_size, is_dont_fragment }) => (assert.ok(is_dont_fragment), answer(packet_size + 28))
    const found = await collect(
      clock,
      pathHandlers(icmp, clock)['path.mtu']({ ...ENDS, min, max, timeout_ms: 100 }, new AbortController().signal),
    )
    assert.deepEqual([clock.alarms, icmp.openPorts], [0, 0])
    return found
  }
  const tooBig = (reported_mtu: number | null): FakeAnswer => ({
    kind: 'too_big',
    from_address: '10.0.0.9',
    reported_mtu,
  })

  it('finds it on any path, whether routers tell the truth, tell nothing, err or keep silent, and with few packets', async () => {
    const routers = fc.constantFrom<(mtu: number) => FakeAnswer>(
      tooBig,
      () => tooBig(null),
      (mtu) => tooBig(mtu - 100),
      (mtu) => tooBig(mtu + 37),
      () => tooBig(68),
      () => null,
      () => ({ refused: 'EMSGSIZE' }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 68, max: 65_535 }),
        fc.nat(9000),
        fc.nat(9000),
        routers,
        async (mtu, below, above, router) => {
          const [min, max] = [Math.max(68, mtu - below), Math.min(65_535, mtu + above)]
          const { items, result } = await search((size) => (size <= mtu ? {} : router(mtu)), min, max)
          assert.equal(result.path_mtu, mtu)
          assert.ok(items.length <= 20, `${items.length} steps`)
          assert.equal(
            new Set(items.map(({ packet_size }) => packet_size)).size,
            items.length,
            'nothing is tried twice',
          )
        },
      ),
      { numRuns: 150 },
    )
  })

  it('does with the word of a router what it can: four packets where it is right', async () => {
    const { items, result } = await search((size) => (size <= 1400 ? {} : tooBig(1400)))
    assert.deepEqual(
      items.map(({ packet_size, outcome }) => [packet_size, outcome]),
      [
        [1200, 'fits'],
        [1500, 'too_big'],
        [1400, 'fits'],
        [1401, 'too_big'],
      ],
    )
    assert.deepEqual(result, { path_mtu: 1400, reported_mtu: 1400, detail: '' })
    assert.equal(items[1]?.detail, '10.0.0.9 says: ; 1400 bytes fit')
  })

  it('asks up to three times, since packets are lost for other reasons too', async () => {
    let requests = 0
    const { result } = await search((size) => (size <= 1450 ? (requests++ % 3 === 2 ? {} : null) : tooBig(1450)))
    assert.equal(result.path_mtu, 1450)
  })

  it('says where it ends that nothing larger was tried, or what the least of all met', async () => {
    assert.deepEqual((await search(() => ({}))).result, {
      path_mtu: 1500,
      reported_mtu: null,
      detail: '1500 bytes arrive, and larger packets were not tried',
    })
    assert.deepEqual((await search(() => null)).result, {
      path_mtu: null,
      reported_mtu: null,
      detail: 'Not even 1200 bytes arrive: No answer to any of three within 100 ms each',
    })
    assert.deepEqual((await search(() => tooBig(900))).result.reported_mtu, 900)
  })

  it('believes no answer that came back shorter than it went', async () => {
    const { result } = await search((size) => (size <= 1300 ? {} : { packet_size: 100 }))
    assert.equal(result.path_mtu, 1300)
  })
})

describe('A trace', () => {
  const run = async (
    answer: (hop: number) => FakeAnswer,
    max_hops = 30,
  ): Promise<{ items: TraceHop[]; result: TraceResult; sent: number }> => {
    const clock = new FakeClock()
    const icmp = new FakeIcmp(clock)
    icmp.answer = ({ hop_limit }) => answer(hop_limit)
    const found = await collect(
      clock,
      pathHandlers(icmp, clock)['path.trace'](
        { ...ENDS, max_hops, probes: 3, timeout_ms: 300 },
        new AbortController().signal,
      ),
    )
    assert.equal(icmp.openPorts, 0)
    return { ...found, sent: icmp.sent.length }
  }
  const hop = (n: number): FakeAnswer => ({ kind: 'hop', from_address: `10.0.1.${n}`, after_ms: n })

  it('names each hop in order up to the target, the silent ones too', async () => {
    const { items, result } = await run((n) => (n === 3 ? null : n < 12 ? hop(n) : {}))
    assert.deepEqual(result, { is_reached: true, detail: '' })
    assert.deepEqual(
      items.map(({ hop_limit }) => hop_limit),
      Array.from({ length: 12 }, (_, at) => at + 1),
    )
    assert.deepEqual(items[2], {
      hop_limit: 3,
      addresses: [],
      rtts_us: [null, null, null],
      is_reached: false,
      detail: 'No answer',
    })
    assert.deepEqual(items[1]?.rtts_us, [2000, 2000, 2000])
    assert.deepEqual(items.at(-1)?.addresses, ['10.0.0.2'])
  })

  it('sends little beyond the target', async () => assert.ok((await run((n) => (n < 3 ? hop(n) : {}))).sent <= 3 * 11))

  it('gives up after as many hops as it may', async () => {
    const { items, result } = await run(() => null, 4)
    assert.deepEqual(
      [items.length, result],
      [4, { is_reached: false, detail: '10.0.0.2 is not among the first 4 hops, or does not answer' }],
    )
  })

  it('ends if a router reports that there is no way, or this host sends nothing', async () => {
    const { items, result } = await run((n) =>
      n < 2 ? hop(n) : { kind: 'unreachable', from_address: '10.0.1.2', text: 'host unreachable' },
    )
    assert.deepEqual([items.length, result], [2, { is_reached: false, detail: '10.0.1.2 says: host unreachable' }])
    assert.match((await run(() => ({ refused: 'ENETUNREACH' }))).result.detail, /this server has no route there/)
  })
})
