// When a pass over the host is due: soon after a change, not at each of a burst, never two at once, and none too late.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PassReason } from '@panel/shared/api/reconcile.ts'
import { Passes, type PassTimes } from '@panel/web-daemon/platform/events/passes.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { eventually } from '../../support/eventually.ts'

const NEVER_MS = 60_000

describe('Passes over the host', () => {
  let made: { because: PassReason; at: number }[]
  let log: string[]
  let running: number
  let most: number
  let lasts_ms: number
  let passes: Passes
  let began: number

  const begin = (times: Partial<PassTimes> = {}): void => {
    const pass = async (because: PassReason): Promise<void> => {
      made.push({ because, at: performance.now() - began })
      most = Math.max(most, ++running)
      await sleep(lasts_ms)
      running -= 1
      if (because === 'change') throw new Error('a pass that fails')
    }
    passes = new Passes(
      pass,
      { quiet_ms: 40, latest_ms: 150, period_ms: () => NEVER_MS, ...times },
      makeLogger({ write: (line) => void log.push(line) }),
    )
    began = performance.now()
  }
  const reasons = (): PassReason[] => made.map(({ because }) => because)

  beforeEach(() => {
    ;[made, log, running, most, lasts_ms] = [[], [], 0, 0, 0]
  })
  afterEach(() => passes.close())

  it('make one at the start, and one for a burst when it is over', async () => {
    begin({ quiet_ms: 200, latest_ms: 5000 })
    passes.start()
    for (let i = 0; i < 5; i += 1) {
      passes.request('event')
      await sleep(10)
    }
    await sleep(400)
    assert.deepEqual(reasons(), ['start', 'event'])
    assert.ok(made[1]!.at >= 235, `${made[1]!.at}`)
  })

  it('do not wait for the end of a burst that has none', async () => {
    begin()
    for (const end = Date.now() + 500; Date.now() < end; await sleep(10)) passes.request('event')
    assert.ok(made.length >= 2 && made.length <= 4, `${made.length}`)
    assert.ok(made[0]!.at >= 145 && made[0]!.at < 250, `${made[0]!.at}`)
  })

  it('wait for no quiet if one is requested at once, and no second one follows for the same', async () => {
    begin({ quiet_ms: NEVER_MS, latest_ms: NEVER_MS })
    passes.request('event')
    await sleep(50)
    assert.deepEqual(reasons(), [])
    passes.request('event', 'now')
    await eventually(() => made.length > 0)
    await sleep(50)
    assert.deepEqual(reasons(), ['event'])
  })

  it('are never two at once, and another follows one that was overtaken, one alone', async () => {
    lasts_ms = 200
    begin()
    passes.start()
    for (let i = 0; i < 3; i += 1) {
      await sleep(20)
      passes.request('event')
    }
    await sleep(400)
    assert.deepEqual([reasons(), most], [['start', 'event'], 1])
    assert.ok(made[1]!.at >= 195)
  })

  it('come from time to time, counted from the end of the last one, as often as the setting of the time says', async () => {
    let period = 50
    begin({ period_ms: () => period })
    passes.start()
    await sleep(180)
    assert.ok(made.length >= 3 && made.length <= 4, `${made.length}`)
    assert.deepEqual(new Set(reasons().slice(1)), new Set(['period']))
    period = NEVER_MS
    await sleep(70)
    const { length } = made
    await sleep(120)
    assert.equal(made.length, length)
  })

  it('keep to another period at once where it is changed, also while a long one is waited for', async () => {
    let period = NEVER_MS
    begin({ period_ms: () => period })
    passes.start()
    await sleep(60)
    period = 100
    passes.retime()
    while (made.length < 2) await sleep(5)
    period = NEVER_MS
    assert.deepEqual(reasons(), ['start', 'period'])
    assert.ok(made[1]!.at >= 95, `${made[1]!.at}`)
  })

  it('go on after one that failed, which is logged', async () => {
    begin()
    passes.request('change')
    await sleep(80)
    passes.request('event')
    await sleep(80)
    assert.deepEqual(reasons(), ['change', 'event'])
    assert.equal(log.filter((line) => line.includes('a pass that fails')).length, 1)
  })

  it('are over when closed: the one under way is waited for, and no other begins', async () => {
    lasts_ms = 80
    begin({ period_ms: () => 10 })
    passes.start()
    passes.request('event')
    await sleep(60)
    await passes.close()
    assert.equal(running, 0)
    passes.request('event')
    await sleep(120)
    assert.deepEqual(reasons(), ['start'])
  })
})
