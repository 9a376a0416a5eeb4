// The parts that a watch is made of, each by itself: verdicts, turns, what waits for a reader, and the budget.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { ReceivedIcmp } from '@panel/root-helper/kernel/icmp/port.ts'
import { Budget, totalLoad, Meter, NO_LOAD } from '@panel/root-helper/path/budget.ts'
import { Outbox } from '@panel/root-helper/path/outbox.ts'
import { Probes } from '@panel/root-helper/path/probes.ts'
import { Schedule } from '@panel/root-helper/path/schedule.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const ENDS = { interface_name: '', source_address: '', target_address: '10.0.0.2' }
const replyTo = (sequence: number, at_us: number): ReceivedIcmp => ({
  kind: 'reply',
  text: '',
  identifier: 1,
  sequence,
  is_sure: true,
  from_address: '10.0.0.2',
  target_address: '10.0.0.2',
  packet_size: 56,
  hop_limit: 64,
  reported_mtu: null,
  at_us,
  interface_index: 0,
})

describe('The verdicts on echo requests', () => {
  it('are reported each exactly once, revised at most once, and late only after loss, whatever comes in whatever order', () => {
    const event = fc.oneof(
      { weight: 3, arbitrary: fc.constant('send') },
      { weight: 1, arbitrary: fc.constant('wait') },
      fc.nat(6).map((back) => -back),
      fc.nat(80).map((back) => -back),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), (events) => {
        const probes = new Probes(ENDS, 500, 65_500)
        const reported = new Map<number, string[]>()
        let now = 0
        let sent = 0
        for (const one of [...events, 'wait', 'wait']) {
          now += one === 'wait' ? 501 : 10
          const verdicts =
            one === 'send'
              ? (sent++, probes.next(), probes.sent(now, now, { at_us: now * 1000, interface_index: 0 }))
              : typeof one === 'number'
                ? probes.receive(now, replyTo((probes.last + one) & 0xffff, now * 1000))
                : probes.expire(now)
          for (const { sequence, outcome } of verdicts)
            reported.set(sequence, [...(reported.get(sequence) ?? []), outcome])
        }
        assert.equal(probes.pending, 0)
        assert.deepEqual(
          [...reported.keys()].sort((a, b) => a - b),
          Array.from({ length: sent }, (_, at) => 65_501 + at),
        )
        for (const outcomes of reported.values())
          assert.ok(['reply', 'timeout', 'timeout late'].includes(outcomes.join(' ')), outcomes.join(' '))
      }),
    )
  })
})

describe('What this host itself says of an echo request', () => {
  const own = { ...ENDS, source_address: '10.0.0.1' }
  const complaint = (from_address: string): ReceivedIcmp => ({
    ...replyTo(1, 5000),
    kind: 'unreachable',
    text: 'host unreachable',
    from_address,
  })
  const outcomes = (from_address: string, replies: boolean): string[] => {
    const probes = new Probes(own, 500)
    probes.next()
    probes.sent(0, 0, { at_us: 0, interface_index: 0 })
    const reported = [
      ...probes.receive(5, complaint(from_address)),
      ...(replies ? probes.receive(10, replyTo(1, 10_000)) : []),
      ...probes.expire(600),
    ]
    return reported.map(({ outcome, detail }) => `${outcome}${detail && `: ${detail}`}`)
  }

  it('does not outweigh an answer in time: a tunnel whose way was broken complains of packets that it sends all the same', () => {
    assert.deepEqual(outcomes('10.0.0.1', true), ['reply'])
  })

  it('is the verdict where nothing else comes', () =>
    assert.deepEqual(outcomes('10.0.0.1', false), ['unreachable: 10.0.0.1 says: host unreachable']))

  it('and the report of another router is the verdict at once', () => {
    assert.deepEqual(outcomes('10.0.0.9', true), [
      'unreachable: 10.0.0.9 says: host unreachable',
      'late: The answer came after 10 ms',
    ])
  })
})

describe('The schedule', () => {
  it('calls everybody when he is due, in order, and nobody who has left', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ at: fc.nat(3000), every: fc.integer({ min: 20, max: 700 }), leaves: fc.option(fc.nat(3000)) }),
          { maxLength: 60 },
        ),
        async (all) => {
          const clock = new FakeClock()
          const schedule = new Schedule(clock, () => undefined)
          const members = all.map((one) => {
            const calls: { at: number; due: number }[] = []
            let due = one.at
            const timed = { step: (now: number) => (calls.push({ at: now, due }), (due += one.every)) }
            schedule.add(timed, one.at)
            if (one.leaves !== null) clock.after(one.leaves, () => schedule.remove(timed))
            return { ...one, calls }
          })
          await clock.advance(3000)
          for (const { at, every, leaves, calls } of members) {
            for (const call of calls)
              assert.ok(
                call.at >= call.due && call.at < call.due + 22 && call.at <= (leaves ?? Infinity),
                JSON.stringify(call),
              )
            const until = Math.min(leaves ?? Infinity, 3000) - 22
            assert.ok(calls.length >= Math.floor((until - at) / every) + (until >= at ? 1 : 0))
          }
        },
      ),
      { numRuns: 15 },
    )
  })

  it('forgets who has left, though he was not due for an hour', () => {
    const clock = new FakeClock()
    const schedule = new Schedule(clock, () => undefined)
    const timed = Array.from({ length: 1000 }, () => ({ step: () => null }))
    for (const one of timed) schedule.add(one, 3_600_000)
    for (const one of timed) schedule.remove(one)
    assert.equal(clock.alarms, 0)
  })

  it('serves others between its turns, however many are due at once', async () => {
    const clock = new FakeClock()
    const schedule = new Schedule(clock, () => undefined)
    const turns: number[] = []
    for (let n = 0; n < 1000; n += 1) schedule.add({ step: (now) => (turns.push(now), null) }, 5)
    await clock.advance(100)
    assert.deepEqual([turns.length, new Set(turns).size], [1000, 4])
  })
})

describe('What waits for a reader', () => {
  it('is bounded: the oldest gives way, and how much it was is reported once', async () => {
    const outbox = new Outbox<number>(new FakeClock(), new AbortController().signal, 100)
    for (let n = 0; n < 350; n += 1) outbox.push(n)
    const { items, lost } = (await outbox.take(1000, 0)) ?? { items: [], lost: 0 }
    assert.deepEqual([items.length + lost, items.at(-1), items[0]], [350, 349, lost])
    assert.ok(items.length <= 100 && items.length >= 50)
    outbox.push(1)
    assert.deepEqual(await outbox.take(1000, 0), { items: [1], lost: 0 })
  })

  it('can still be taken when nothing more comes, and then it is over', async () => {
    const outbox = new Outbox<number>(new FakeClock(), new AbortController().signal, 100)
    outbox.push(1)
    outbox.close()
    outbox.push(2)
    assert.deepEqual(await outbox.take(10, 100), { items: [1], lost: 0 })
    assert.equal(await outbox.take(10, 100), null)
  })
})

describe('The budget', () => {
  it('gives back what was taken, and always lets less be sent', () => {
    const budget = new Budget()
    const most = totalLoad(Array.from({ length: 2000 }, () => ({ interval_ms: 200, packet_size: 56 })))
    budget.exchange(NO_LOAD, most)
    const one = totalLoad([{ interval_ms: 1000, packet_size: 0 }])
    assert.throws(() => budget.exchange(NO_LOAD, one), /make the intervals longer/)
    budget.exchange(most, one)
    budget.exchange(one, NO_LOAD)
    budget.exchange(NO_LOAD, most)
  })

  it('lets no more leave in a second than it says, however many requests there are', () => {
    const pass = (bytes: number, everyMs: number): number => {
      const meter = new Meter()
      return Array.from({ length: 30_000 }, (_, n) => meter.passes(5000 + n * everyMs, bytes)).filter(Boolean).length
    }
    assert.equal(pass(100, 0), 10_000)
    assert.ok(Math.abs(pass(100, 0.05) - (10_000 + 15_000)) <= 1)
    assert.equal(pass(100, 1), 30_000)
    assert.equal(pass(65_555, 0), Math.floor(12_500_000 / 65_555))
  })
})
