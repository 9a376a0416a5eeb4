// The window of probes, beside a simple list of everything that happened to them (decisions.md, S3, S6).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Window } from '@panel/web-daemon/features/monitor/window.ts'

type Held = number | 'lost' | null

/** What the window should hold, kept in the simplest way. */
class Plain {
  readonly probes: Held[] = []
  readonly #size: number
  constructor(size: number) {
    this.#size = size
  }
  decide(sequence: number, held: Exclude<Held, null>): boolean {
    while (this.probes.length < sequence) this.probes.push(null)
    if (sequence <= this.probes.length - this.#size) return false
    const before = this.probes[sequence - 1]
    if (typeof before === 'number' || (before === 'lost' && held === 'lost')) return false
    this.probes[sequence - 1] = held
    return true
  }
  get last(): Held[] {
    return this.probes.slice(-this.#size)
  }
}

const outcome = fc.record({
  sequence: fc.integer({ min: 1, max: 60 }),
  rtt_us: fc.option(fc.integer({ min: 0, max: 5_000_000 })),
})
const close = (actual: number | null, expected: number | null): void => {
  if (actual === null || expected === null) assert.equal(actual, expected)
  else assert.ok(Math.abs(actual - expected) < 0.01, `${actual} and not ${expected}`)
}

describe('The window of probes', () => {
  it('says of the last probes what a plain list of them says, in whatever order they are decided', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(outcome, { maxLength: 120 }), (size, outcomes) => {
        const [window, plain] = [new Window(size), new Plain(size)]
        for (const { sequence, rtt_us } of outcomes) {
          const decision = rtt_us === null ? window.lost(sequence) : window.answered(sequence, rtt_us, 0)
          assert.equal(decision !== null, plain.decide(sequence, rtt_us ?? 'lost'))
          const answers = plain.last.filter((held) => typeof held === 'number')
          const lost = plain.last.filter((held) => held === 'lost').length
          assert.deepEqual(
            [window.received, window.decided, window.newest],
            [answers.length, answers.length + lost, plain.probes.length],
          )
          close(window.lossPercent, answers.length + lost === 0 ? null : (100 * lost) / (answers.length + lost))
          close(
            window.averageRttMs,
            answers.length === 0 ? null : answers.reduce((a, b) => a + b, 0) / answers.length / 1000,
          )
          const stats = window.stats()
          close(stats.rtt_min_ms, answers.length === 0 ? null : Math.min(...answers) / 1000)
          close(stats.rtt_max_ms, answers.length === 0 ? null : Math.max(...answers) / 1000)
          close(stats.rtt_avg_ms, window.averageRttMs)
        }
      }),
    )
  })

  it('takes over to another size as many of its probes as fit, and goes on as if it had been of that size', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(outcome, { maxLength: 40 }),
        fc.array(outcome, { maxLength: 40 }),
        (size, other, before, after) => {
          const [changed, always] = [new Window(size), new Window(Math.min(size, other))]
          const tell = (window: Window, { sequence, rtt_us }: (typeof before)[number]): unknown =>
            rtt_us === null ? window.lost(sequence) : window.answered(sequence, rtt_us, 0)
          for (const one of before) for (const window of [changed, always]) tell(window, one)
          const resized = new Window(Math.min(size, other), changed)
          for (const one of after) for (const window of [resized, always]) tell(window, one)
          const { last_rtt_ms: _, ...figures } = always.stats()
          const { last_rtt_ms: __, ...reported } = resized.stats()
          assert.deepEqual(
            [reported.sent, reported.received, reported.lost, reported.rtt_avg_ms],
            [figures.sent, figures.received, figures.lost, figures.rtt_avg_ms],
          )
        },
      ),
    )
  })

  it('knows nothing before the first result, and says so', () => {
    assert.deepEqual(new Window(60).stats(), {
      sent: 0,
      received: 0,
      lost: 0,
      pending: 0,
      loss_percent: null,
      rtt_min_ms: null,
      rtt_avg_ms: null,
      rtt_max_ms: null,
      rtt_mdev_ms: null,
      jitter_ms: null,
      last_rtt_ms: null,
      last_reply_at: null,
    })
  })

  it('tells times as ping does: mean, standard deviation, and the jitter from one answer to the next', () => {
    const window = new Window(60)
    for (const [at, rtt_us] of [10_000, 20_000, 10_000, 40_000].entries())
      window.answered(at + 1, rtt_us, Date.UTC(2026, 0, 1, 0, 0, at))
    window.lost(5)
    window.pending = 2
    assert.deepEqual(window.stats(), {
      sent: 7,
      received: 4,
      lost: 1,
      pending: 2,
      loss_percent: 20,
      rtt_min_ms: 10,
      rtt_avg_ms: 20,
      rtt_max_ms: 40,
      rtt_mdev_ms: 12.247,
      jitter_ms: 16.667,
      last_rtt_ms: 40,
      last_reply_at: '2026-01-01T00:00:03.000Z',
    })
  })

  it('is revised by a late answer, once', () => {
    const window = new Window(3)
    assert.deepEqual([window.lost(1), window.lost(2), window.lossPercent], ['decided', 'decided', 100])
    assert.deepEqual([window.answered(1, 2_500_000, 0), window.lossPercent], ['revised', 50])
    assert.deepEqual([window.answered(1, 1, 0), window.lost(1), window.averageRttMs], [null, null, 2500])
    window.lost(4)
    assert.deepEqual([window.answered(1, 9, 0), window.decided], [null, 2])
  })
})
