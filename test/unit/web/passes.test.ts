// When a pass over the host is due: soon after a change, not at each of a burst, never two at once, and none too late.
import assert from 'node:assert/strict'
import type { PassReason } from '@panel/shared/api/reconcile.ts'
import { Passes, type PassTimes } from '@panel/web-daemon/platform/events/passes.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const NEVER_MS = 60_000

describe('Passes over the host', () => {
  let made: { because: PassReason; at: number }[]
  let log: string[]
  let running: number
  let most: number
  let lasts_ms: number
  let passes: Passes
  let clock: FakeClock

  const begin = (times: Partial<PassTimes> = {}): void => {
    const pass = async (because: PassReason): Promise<void> => {
      made.push({ because, at: clock.now() })
      most = Math.max(most, ++running)
      if (lasts_ms > 0) await new Promise<void>((resolve) => clock.after(lasts_ms, resolve))
      running -= 1
      if (because === 'change') throw new Error('a pass that fails')
    }
    passes = new Passes(
      pass,
      { quiet_ms: 40, latest_ms: 150, period_ms: () => NEVER_MS, ...times },
      makeLogger({ write: (line) => void log.push(line) }),
      clock,
    )
  }
  const makes = (): string[] => made.map(({ because, at }) => `${because} ${at}`)

  beforeEach(() => {
    ;[made, log, running, most, lasts_ms, clock] = [[], [], 0, 0, 0, new FakeClock()]
  })

  it('make one at the start, and one for a burst when it is over', async () => {
    begin()
    passes.start()
    for (let i = 0; i < 5; i += 1) {
      passes.request('event')
      await clock.advance(10)
    }
    await clock.advance(400)
    assert.deepEqual(makes(), ['start 0', 'event 80'])
  })

  it('do not wait for the end of a burst that has none', async () => {
    begin()
    for (let i = 0; i < 50; i += 1) {
      passes.request('event')
      await clock.advance(10)
    }
    assert.deepEqual(makes(), ['event 150', 'event 300', 'event 450'])
  })

  it('wait for no quiet if one is requested at once, and no second one follows for the same', async () => {
    begin({ quiet_ms: NEVER_MS, latest_ms: NEVER_MS })
    passes.request('event')
    await clock.advance(50)
    assert.deepEqual(makes(), [])
    passes.request('event', 'now')
    await clock.advance(2 * NEVER_MS)
    assert.deepEqual(makes(), ['event 50', 'period 60050', 'period 120050'])
  })

  it('are never two at once, and another follows one that was overtaken, one alone', async () => {
    lasts_ms = 200
    begin()
    passes.start()
    for (let i = 0; i < 3; i += 1) {
      await clock.advance(20)
      passes.request('event')
    }
    await clock.advance(400)
    assert.deepEqual([makes(), most], [['start 0', 'event 200'], 1])
  })

  it('come from time to time, counted from the end of the last one, as often as the setting of the time says', async () => {
    let period = 50
    lasts_ms = 5
    begin({ period_ms: () => period })
    passes.start()
    await clock.advance(160)
    assert.deepEqual(makes(), ['start 0', 'period 55', 'period 110'])
    period = NEVER_MS
    await clock.advance(1000)
    assert.deepEqual(makes().slice(3), ['period 165'])
  })

  it('keep to another period at once where it is changed, also while a long one is waited for', async () => {
    let period = NEVER_MS
    begin({ period_ms: () => period })
    passes.start()
    await clock.advance(60)
    period = 100
    passes.retime()
    await clock.advance(40)
    assert.deepEqual(makes(), ['start 0', 'period 100'])
  })

  it('go on after one that failed, which is logged', async () => {
    begin()
    passes.request('change')
    await clock.advance(80)
    passes.request('event')
    await clock.advance(80)
    assert.deepEqual(makes(), ['change 40', 'event 120'])
    assert.equal(log.filter((line) => line.includes('a pass that fails')).length, 1)
  })

  it('are over when closed: the one under way is waited for, and no other begins', async () => {
    lasts_ms = 80
    begin({ period_ms: () => 10 })
    passes.start()
    passes.request('event')
    await clock.advance(60)
    const closed = passes.close()
    assert.equal(running, 1)
    await clock.advance(20)
    await closed
    assert.equal(running, 0)
    passes.request('event')
    await clock.advance(1000)
    assert.deepEqual(makes(), ['start 0'])
  })
})
