// Throughput over time, from what was stored and from the live stream.
import assert from 'node:assert/strict'
import { joinRates, ratesOf } from '../../../ui/src/components/chart/rates.ts'
import { sumOfRates } from '../../../ui/src/components/chart/sum-of-rates.ts'

const count = (start: number, rx_bytes: number | null, tx_bytes = rx_bytes) => ({ start, rx_bytes, tx_bytes })

describe('Throughput over time', () => {
  it('is the bytes of each interval over its seconds, and of the running one over those that have gone by', () =>
    assert.deepEqual(ratesOf([count(0, 600, 60), count(60, 1200), count(120, 600)], 60, 150), [
      { time: 0, rx: 10, tx: 1 },
      { time: 60, rx: 20, tx: 20 },
      { time: 120, rx: 20, tx: 20 },
    ]))

  it('waits for an interval that has just begun', () =>
    assert.deepEqual(
      ratesOf([count(0, 600), count(60, 4000)], 60, 61).map(({ time }) => time),
      [0],
    ))

  it('is not known where nobody counted, which is not zero', () =>
    assert.deepEqual(ratesOf([count(0, null), count(60, 0), count(300, 60)], 60, 999), [
      { time: 0, rx: null, tx: null },
      { time: 60, rx: 0, tx: 0 },
      { time: 120, rx: null, tx: null },
      { time: 300, rx: 1, tx: 1 },
    ]))

  it('goes on with the live readings where they begin', () => {
    const at = (time: number) => ({ time, rx: 1, tx: 1 })
    assert.deepEqual(
      joinRates([at(0), at(60), at(120)], [at(90), at(91)]).map(({ time }) => time),
      [0, 60, 90, 91],
    )
    assert.deepEqual(joinRates([at(0)], []), [at(0)])
  })

  it('of several things is the sum of what is known, and not known where nothing is', () => {
    const of = (tx: number | null, rx: number | null) => ({ tx_bytes_per_second: tx, rx_bytes_per_second: rx })
    assert.deepEqual(sumOfRates([of(1, null), of(2, null), of(null, null)]), { tx: 3, rx: null })
    assert.deepEqual(sumOfRates([of(0, 5)]), { tx: 0, rx: 5 })
    assert.deepEqual(sumOfRates([]), { tx: null, rx: null })
  })
})
