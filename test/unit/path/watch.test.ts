// A watch over a network in memory, with a clock of its own: when each target is probed, and what is reported of it.
import assert from 'node:assert/strict'
import type { WatchItem, WatchResult, WatchTarget } from '@panel/shared/path/model.ts'
import { pathHandlers } from '@panel/root-helper/path/handlers.ts'
import { RefusedError } from '@panel/root-helper/refused.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { FakeIcmp } from '../../support/fake-icmp.ts'

const target = (target_id: number, more: Partial<WatchTarget> = {}): WatchTarget => ({
  target_id,
  interface_name: 'gre1',
  source_address: '10.0.0.1',
  target_address: '10.0.0.2',
  interval_ms: 1000,
  timeout_ms: 2000,
  packet_size: 56,
  ...more,
})
const many = (count: number, more: Partial<WatchTarget> = {}): WatchTarget[] =>
  Array.from({ length: count }, (_, at) => target(at + 1, more))

describe('A watch', () => {
  let clock: FakeClock
  let icmp: FakeIcmp
  let handlers: ReturnType<typeof pathHandlers>
  let ending: AbortController
  let items: WatchItem[]
  let ended: Promise<unknown>

  beforeEach(() => {
    clock = new FakeClock()
    icmp = new FakeIcmp(clock)
    handlers = pathHandlers(icmp, clock)
    ending = new AbortController()
    items = []
  })
  afterEach(async () => {
    ending.abort()
    await Promise.all([ended, clock.advance(200)])
    assert.deepEqual([clock.alarms, icmp.openPorts], [0, 0], 'nothing is left behind')
  })

  async function watch(targets: WatchTarget[]): Promise<void> {
    const run = async (): Promise<void> => {
      for await (const item of handlers['path.watch']({ targets }, ending.signal)) items.push(item)
    }
    ended = run()
    await clock.advance(0)
  }
  const results = (id?: number): WatchResult[] =>
    items.flatMap((item) => item.results).filter(({ target_id }) => id === undefined || target_id === id)
  const outcomes = (id?: number): string[] => results(id).map(({ sequence, outcome }) => `${sequence} ${outcome}`)
  const change = (put: WatchTarget[], gone: number[] = []) =>
    handlers['path.watch_change']({ watch_id: items[0]?.watch_id ?? 0, put, gone })

  it('tells its id before anything else, and results in batches', async () => {
    await watch(many(50))
    assert.deepEqual(
      items.map(({ results: reported, lost }) => [reported, lost]),
      [[[], 0]],
    )
    await clock.advance(2000)
    assert.ok(results().length >= 80 && items.length <= 25, `${results().length} in ${items.length}`)
  })

  it('spreads a thousand targets evenly over the second, whatever their number, and asks each once', async () => {
    await watch(many(1000))
    await clock.advance(1000)
    icmp.sent.length = 0
    const counts: number[] = []
    for (let part = 0; part < 20; part += 1) {
      const before = icmp.sent.length
      await clock.advance(50)
      counts.push(icmp.sent.length - before)
    }
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      1000,
    )
    // A twentieth of them, give or take a beat of the grid.
    assert.ok(Math.max(...counts) <= 65 && Math.min(...counts) >= 35, `${counts}`)
    assert.equal(new Set(icmp.sent.map(({ identifier }) => identifier)).size, 1000)
  })

  it('keeps to the rhythm of each target', async () => {
    await watch([target(1), target(2, { interval_ms: 250 }), target(3, { interval_ms: 30_000 })])
    await clock.advance(60_000)
    const beats = (id: number): number[] => results(id).map(({ sent_at_ms }) => sent_at_ms)
    const gaps = (id: number): number[] =>
      beats(id)
        .slice(1)
        .map((at, n) => at - beats(id)[n]!)
    assert.ok(gaps(1).every((gap) => Math.abs(gap - 1000) <= 20) && gaps(1).length >= 58)
    assert.ok(gaps(2).every((gap) => Math.abs(gap - 250) <= 20) && gaps(2).length >= 235)
    assert.ok(beats(3)[0]! - clock.epoch() + 60_000 <= 1020, 'the first word comes soon')
    assert.ok(gaps(3).every((gap) => gap >= 15_000 && gap <= 45_000))
  })

  it('tells a timeout when it is one, and revises it when the answer comes late', async () => {
    icmp.answer = ({ sequence }) => (sequence === 1 ? { after_ms: 2500 } : sequence === 2 ? null : {})
    await watch([target(1)])
    await clock.advance(6000)
    const decided = outcomes()
    assert.deepEqual(
      decided.filter((one) => /^[12] /.test(one)),
      ['1 timeout', '1 late', '2 timeout'],
    )
    const late = results().find(({ outcome }) => outcome === 'late')
    assert.deepEqual([late?.rtt_us, late?.detail], [2_500_000, 'The answer came after 2500 ms'])
    assert.equal(results().find(({ outcome }) => outcome === 'timeout')?.detail, 'No answer within 2000 ms')
  })

  it('says how many it still waits for', async () => {
    icmp.answer = () => null
    await watch([target(1)])
    await clock.advance(4500)
    assert.ok(
      results().every(({ pending }) => pending === 1 || pending === 2),
      JSON.stringify(results()),
    )
  })

  it('counts an answer as in time that came in time, however late it is read', async () => {
    const read: (() => void)[] = []
    icmp.answer = () => null
    const open = icmp.open.bind(icmp)
    icmp.open = (hear) => ({
      ...open(hear),
      towards: (ends) => (echo) => {
        const at_us = clock.epoch() * 1000
        read.push(() =>
          hear({
            kind: 'reply',
            text: '',
            identifier: echo.identifier,
            sequence: echo.sequence,
            is_sure: true,
            from_address: ends.target_address,
            target_address: ends.target_address,
            packet_size: 56,
            hop_limit: 64,
            reported_mtu: null,
            at_us: at_us + 3000,
            interface_index: 1,
          }),
        )
        return { at_us, interface_index: 1 }
      },
      drain: () => read.splice(0).forEach((one) => one()),
    })
    await watch([target(1)])
    await clock.advance(500)
    clock.stall(10_000)
    await clock.advance(500)
    assert.deepEqual(
      results()
        .filter(({ sequence }) => sequence === 1)
        .map(({ outcome, rtt_us }) => [outcome, rtt_us]),
      [['reply', 3000]],
    )
  })

  it('does not make up in a burst for what it has missed', async () => {
    await watch(many(10))
    await clock.advance(3000)
    icmp.sent.length = 0
    clock.stall(60_000)
    await clock.advance(1000)
    assert.ok(icmp.sent.length >= 10 && icmp.sent.length <= 20, `${icmp.sent.length}`)
  })

  it('measures by the clock that never goes back where the clock of the day was set', async () => {
    icmp.answer = () => ({ after_ms: 7, at_us: 0 })
    await watch([target(1)])
    await clock.advance(1500)
    assert.ok(results().every(({ outcome, rtt_us }) => outcome === 'reply' && rtt_us === 7000))
  })

  it('takes no answer by another interface, and none that only guesses', async () => {
    icmp.answer = ({ sequence }) =>
      sequence === 1
        ? { interface_index: 9 }
        : sequence === 2
          ? { is_sure: false, target_address: '10.0.0.9' }
          : { is_sure: false }
    await watch([target(1)])
    await clock.advance(5000)
    assert.deepEqual(
      outcomes()
        .filter((one) => /^[123] /.test(one))
        .sort(),
      ['1 timeout', '2 timeout', '3 reply'],
    )
  })

  it('tells of an answer once, and an error before it', async () => {
    icmp.answer = ({ sequence }) =>
      sequence === 1 ? { kind: 'unreachable', from_address: '10.0.0.9', text: 'host unreachable' } : {}
    const open = icmp.open.bind(icmp)
    icmp.open = (hear) => open((received) => [hear, hear].forEach((tell) => tell(received)))
    await watch([target(1)])
    await clock.advance(2500)
    assert.deepEqual(outcomes().slice(0, 2), ['1 unreachable', '2 reply'])
    assert.equal(new Set(outcomes()).size, outcomes().length)
    assert.equal(results()[0]?.detail, '10.0.0.9 says: host unreachable')
  })

  it('waits for a bounded number, however long the timeout', async () => {
    icmp.answer = () => null
    await watch([target(1, { interval_ms: 200, timeout_ms: 3_600_000 })])
    await clock.advance(200 * 300)
    assert.match(results()[0]?.detail ?? '', /Given up: 256 later ones/)
    assert.ok(results().every(({ pending }) => pending <= 256))
  })

  it('refuses what would flood, and leaves what runs as it was', async () => {
    await watch([target(1)])
    await assert.rejects(
      change(many(2000, { interval_ms: 200, packet_size: 2000 })),
      (error) => error instanceof RefusedError && error.code === 'busy' && /bytes of echo requests/.test(error.message),
    )
    await assert.rejects(change(many(2001)), /2001 targets/)
    await assert.rejects(
      change([target(2, { target_address: 'fd00::1' })]),
      (error) => error instanceof RefusedError && error.code === 'malformed',
    )
    await change(many(2000, { interval_ms: 200 }))
    const other = handlers['path.watch']({ targets: [target(1)] }, ending.signal)
    await assert.rejects(other.next(), /10001 echo requests in a second would be sent, and 10000 are the most/)
    await change(
      [],
      many(2000).map(({ target_id }) => target_id),
    )
    assert.equal(icmp.openPorts, 0)
  })

  it('sends nothing beyond the bound, and says so, if a client begins again and again', async () => {
    await watch([])
    for (let again = 0; again < 4; again += 1) {
      await change(many(600, { interval_ms: 3_600_000, packet_size: 60_000 + again }))
      await clock.advance(1000)
    }
    const bytes = icmp.sent.reduce((sum, { packet_size }) => sum + packet_size, 0)
    assert.ok(bytes <= 12_500_000 * 5, `${bytes}`)
    assert.match(
      results().find(({ outcome }) => outcome === 'not_sent')?.detail ?? '',
      /more than this helper sends in a second/,
    )
  })
})
