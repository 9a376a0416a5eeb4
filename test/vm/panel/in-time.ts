// How a promise of milliseconds is held on an emulated machine that shares its processors with other tests.
import assert from 'node:assert/strict'

const TRIES = 6

/** A delay of the panel's own comes with every try; one of the machine's does not. `measure` gives milliseconds. */
export async function inTime(within_ms: number, measure: () => Promise<number>): Promise<void> {
  const took: number[] = []
  while (took.length < TRIES) {
    took.push(await measure())
    if (Math.min(...took) < within_ms) return
  }
  assert.fail(`not within ${within_ms} ms, but after ${took.join(', ')} ms`)
}
