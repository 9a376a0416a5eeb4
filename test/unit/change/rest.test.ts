// How long the background rests between two looks: not after a single change, and nine tenths of the time if another
// program changes the host without end.
import assert from 'node:assert/strict'
import { MOST_MS, Rest } from '@panel/web-daemon/change/rest.ts'

describe('The rest between two looks at the host', () => {
  let now = 0
  beforeEach(() => void (now = 0))
  /** Looks as soon as it may, for so long; returns how long each wait was. */
  function waits(rest: Rest, look_ms: number, for_ms: number): number[] {
    const all: number[] = []
    for (const end = now + for_ms; now < end;) {
      all.push(rest.ms)
      now += rest.ms + look_ms
      rest.looked(look_ms)
    }
    return all
  }

  it('is none for looks that come now and then, however slow the machine', () => {
    const rest = new Rest(9, () => now)
    for (let turn = 0; turn < 20; turn += 1) {
      assert.equal(rest.ms, 0, `turn ${turn}`)
      now += 400
      rest.looked(400)
      now += 4000
    }
  })

  it('is none for the first of many, and lets them take a tenth of a long time at most', () => {
    const rest = new Rest(9, () => now)
    const all = waits(rest, 400, 600_000)
    assert.deepEqual(new Set(all.slice(0, 25)), new Set([0]))
    const looked = all.length * 400
    assert.ok(looked < 72_000 && looked > 60_000, `${looked} ms of ten minutes`)
  })

  it('is ten seconds at most, however long looks take, since what needs attention is to be seen', () => {
    const rest = new Rest(9, () => now)
    const all = waits(rest, 24_000, 600_000)
    assert.equal(Math.max(...all), MOST_MS)
    now += MOST_MS
    assert.equal(rest.ms, 0, 'looks of long ago are paid for')
  })

  it('is never if none is requested', () => {
    assert.deepEqual(new Set(waits(new Rest(0, () => now), 5000, 100_000)), new Set([0]))
  })
})
