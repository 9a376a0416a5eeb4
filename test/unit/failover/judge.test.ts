// What the checks of a destination come to (design: fall, rise, flapping).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { message, verbatim } from '@panel/shared/messages/message.ts'
import {
  downWithTunnel,
  FLAPPING,
  FLIPS_COUNT_MS,
  jittered,
  judge,
  riseOf,
  UNDECIDED,
  type CheckRules,
  type Judgement,
  type Sample,
} from '@panel/web-daemon/features/failover/judge.ts'

const RULES: CheckRules = { fall: 3, rise: 2, interval_ms: 1000 }
const success: Sample = { outcome: 'success', reason: message('check.echo'), latency_ms: 1 }
const failure: Sample = { outcome: 'failure', reason: message('check.no_echo'), latency_ms: null }
const refused: Sample = { outcome: 'refused', reason: message('check.refuses', { port: 80 }), latency_ms: null }

const after = (samples: readonly Sample[], rules = RULES, from: Judgement = UNDECIDED): Judgement =>
  samples.reduce((one, sample, at) => judge(one, sample, rules, at * rules.interval_ms), from)
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one)

describe('A destination that is judged by its checks', () => {
  it('is unknown until something is decided, and up with the first success', () => {
    assert.equal(after([failure, failure]).state, 'unknown')
    assert.equal(after([success]).state, 'up')
  })

  it('is down after as many failures in a row as fall says', () => {
    assert.equal(after([success, failure, failure]).state, 'up')
    assert.equal(after([success, failure, failure, failure]).state, 'down')
    assert.equal(after([success, failure, failure, success, failure, failure]).state, 'up')
  })

  it('is down at once where the port refuses', () => {
    const { state, reason } = after([success, refused])
    assert.deepEqual([state, reason.message], ['down', 'Port 80 refuses connections'])
  })

  it('is up again after as many successes in a row as rise says', () => {
    assert.equal(after([success, refused, success]).state, 'down')
    assert.equal(after([success, refused, success, success]).state, 'up')
    assert.equal(after([success, refused, success, failure, success]).state, 'down')
  })

  it('is down at once with its tunnel, and up again by its checks alone', () => {
    const down = downWithTunnel(after([success]), verbatim('The tunnel is down'), RULES, 1)
    assert.deepEqual([down.state, down.reason.message], ['down', 'The tunnel is down'])
    assert.equal(after([success], RULES, down).state, 'down')
    assert.equal(after([success, success], RULES, down).state, 'up')
  })

  it('is held out while it flaps, and says until when', () => {
    // Down, up, down: three flips.
    const flapping = after([success, refused, success, success, refused])
    assert.equal(flapping.flips.length, FLAPPING)
    assert.match(flapping.reason.message, /refuses connections\. It changes too often, so it is held out until 1970-/)
    assert.equal(after(times(3, success), RULES, flapping).state, 'down')
    assert.equal(after(times(4, success), RULES, flapping).state, 'up')
  })

  it('is held out for ten minutes at the most, and for as long as before once it has been steady', () => {
    assert.equal(riseOf(RULES, times(2, 0)), 2)
    assert.equal(riseOf(RULES, times(3, 0)), 4)
    assert.equal(riseOf(RULES, times(5, 0)), 16)
    assert.equal(riseOf(RULES, times(50, 0)), FLIPS_COUNT_MS / 1000)
    const flapping = { ...after([success, refused]), flips: [0, 1, 2] }
    assert.deepEqual(judge(flapping, success, RULES, FLIPS_COUNT_MS + 3).flips, [])
  })

  const samples = fc.array(fc.constantFrom(success, failure, refused), { maxLength: 80 })
  const rules = fc.record({ fall: fc.integer({ min: 1, max: 5 }), rise: fc.integer({ min: 1, max: 5 }) })

  it('goes down by a failure and up by a success alone, whatever comes', () => {
    fc.assert(
      fc.property(samples, rules, (all, some) => {
        let before = UNDECIDED
        for (const [at, sample] of all.entries()) {
          const now = judge(before, sample, { ...RULES, ...some }, at * 1000)
          if (now.state !== before.state)
            assert.equal(now.state, sample.outcome === 'success' ? 'up' : 'down', JSON.stringify(all.slice(0, at + 1)))
          before = now
        }
      }),
    )
  })

  it('is never kept out for longer than ten minutes of successes', () => {
    fc.assert(
      fc.property(samples, rules, (all, some) => {
        const whole = { ...RULES, ...some }
        const most = FLIPS_COUNT_MS / whole.interval_ms + whole.rise
        assert.equal(after(times(most, success), whole, after(all, whole)).state, 'up')
      }),
    )
  })

  it('is checked no later than its interval, and no sooner than nine tenths of it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 500, max: 3_600_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (ms, random) => {
          const wait = jittered(ms, random)
          assert.ok(wait <= ms && wait >= Math.floor(ms * 0.9), `${wait} of ${ms}`)
        },
      ),
    )
  })
})
