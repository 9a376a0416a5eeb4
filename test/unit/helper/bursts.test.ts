// Work that is done once for all who ask for it within a moment, and at once for one who cannot go on without it.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { finishBursts, inBursts } from '@panel/root-helper/kernel/files/bursts.ts'

const PAUSE_MS = 30

describe('A burst', () => {
  const begun: string[][] = []
  let isWorking = false
  const work = async (request: readonly string[]): Promise<void> => {
    assert.equal(isWorking, false, 'one at a time')
    isWorking = true
    begun.push([...request])
    await sleep(5)
    isWorking = false
  }
  let bursts = inBursts(work, PAUSE_MS)
  beforeEach(() => {
    begun.length = 0
    bursts = inBursts(work, PAUSE_MS)
  })

  it('is one piece of work, for all callers, each named once', async () => {
    for (const whose of ['a', 'b', 'a']) bursts.soon(whose)
    assert.deepEqual(begun, [])
    await sleep(PAUSE_MS * 3)
    assert.deepEqual(begun, [['a', 'b']])
  })

  it('is not waited for by a caller without a request', async () => {
    bursts.soon('a')
    await bursts.doneFor('b')
    assert.deepEqual(begun, [])
    await sleep(PAUSE_MS * 3)
  })

  it('is done at once, and once, for a caller that cannot go on', async () => {
    for (const whose of ['a', 'b']) bursts.soon(whose)
    await bursts.doneFor('a')
    assert.deepEqual([begun, isWorking], [[['a', 'b']], false])
    await sleep(PAUSE_MS * 3)
    assert.deepEqual(begun, [['a', 'b']])
  })

  it('is finished by a helper that ends, be it still to begin or under way', async () => {
    bursts.soon('a')
    await finishBursts()
    assert.deepEqual([begun, isWorking], [[['a']], false])
    bursts.soon('b')
    const underWay = bursts.doneFor('b')
    await finishBursts()
    assert.deepEqual([begun, isWorking], [[['a'], ['b']], false])
    await underWay
    await finishBursts()
    assert.equal(begun.length, 2)
  })

  it('is due for its callers until it is done, and for no other', async () => {
    bursts.soon('a')
    const due = (): boolean[] => ['a', 'b'].map((whose) => bursts.isDueFor(whose))
    assert.deepEqual(due(), [true, false])
    const underWay = bursts.doneFor('a')
    bursts.soon('b')
    assert.deepEqual(due(), [true, true])
    await underWay
    assert.deepEqual(due(), [false, true])
    await bursts.doneFor('b')
    assert.deepEqual(due(), [false, false])
  })

  it('comes after the one under way, which may have looked before the last change', async () => {
    bursts.soon('a')
    const first = bursts.doneFor('a')
    bursts.soon('a')
    await bursts.doneFor('a')
    await first
    assert.deepEqual(begun, [['a'], ['a']])
  })
})
