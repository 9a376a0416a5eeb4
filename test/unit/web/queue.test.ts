// One change at a time, in the order of asking, and an end to waiting.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeQueue } from '@panel/web-daemon/change/queue.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { SlidingWindow } from '@panel/web-daemon/platform/limits/sliding-window.ts'

describe('the queue of changes', () => {
  it('lets one in at a time, in the order in which they ask, whether or not one fails', async () => {
    const inTurn = makeQueue()
    const story: string[] = []
    const change = (name: string, fails = false): Promise<unknown> =>
      inTurn(async () => {
        story.push(`${name} begins`)
        await sleep(5)
        story.push(`${name} ends`)
        if (fails) throw new Error(name)
      }).catch((failure: Error) => story.push(`${failure.message} failed`))
    await Promise.all([change('a'), change('b', true), change('c')])
    assert.deepEqual(
      story,
      ['a begins', 'a ends', 'b begins', 'b ends', 'b failed', 'c begins', 'c ends'].sort(
        (x, y) => story.indexOf(x) - story.indexOf(y),
      ),
    )
    assert.equal(story.indexOf('b begins') > story.indexOf('a ends'), true)
    assert.equal(story.indexOf('c begins') > story.indexOf('b ends'), true)
  })

  it('answers 503 busy to one who has waited too long, and goes on with the next', async () => {
    const inTurn = makeQueue(20)
    const slow = inTurn(() => sleep(60, 'slow'))
    await assert.rejects(
      inTurn(async () => 'late'),
      (failure) =>
        failure instanceof Refusal && failure.code === 'SERVICE_UNAVAILABLE' && failure.details['reason'] === 'busy',
    )
    assert.equal(await slow, 'slow')
    assert.equal(await inTurn(async () => 'next'), 'next')
  })
})

describe('a sliding window', () => {
  it('lets no more than its limit through in any span of its length', () => {
    let now = 0
    const window = new SlidingWindow(3, 1000, () => new Date(now))
    const admitted: number[] = []
    for (now = 0; now < 5000; now += 50) {
      if (window.secondsToWait('a') > 0) continue
      window.add('a')
      admitted.push(now)
    }
    for (const at of admitted) assert.ok(admitted.filter((other) => other >= at && other < at + 1000).length <= 3)
    assert.equal(window.secondsToWait('b'), 0)
  })

  it('forgets an event that is taken back, and says how long to wait', () => {
    const window = new SlidingWindow(2, 60_000, () => new Date(0))
    window.add('a')
    window.add('a')
    assert.equal(window.secondsToWait('a'), 60)
    window.takeBack('a')
    assert.equal(window.secondsToWait('a'), 0)
  })
})
