// The history of a rule as points of a chart: where nothing moved there is a zero.
import assert from 'node:assert/strict'
import { chartPoints } from '../../../ui/src/features/routes/chart-points.ts'

const bucket = (start: number, tx_bytes: number) => ({
  bucket_start_date: new Date(start * 1000).toISOString(),
  rx_bytes: 0,
  tx_bytes,
  rx_packets: 0,
  tx_packets: 0,
  active_connections: null,
  new_connections: null,
})

describe("The points of a rule's history", () => {
  it('are bytes a second, with zeros around what is left out', () => {
    const { times, tx } = chartPoints([bucket(300, 600), bucket(360, 120), bucket(900, 60)], {
      from: 0,
      to: 1200,
      interval: 60,
    })
    assert.deepEqual(times, [0, 60, 240, 300, 360, 420, 840, 900, 960, 1140])
    assert.deepEqual(tx, [0, 0, 0, 10, 2, 0, 0, 1, 0, 0])
  })

  it('of an interval that lies within the span in part are over that part', () => {
    const { times, tx } = chartPoints([bucket(0, 600), bucket(60, 600), bucket(120, 600)], {
      from: 50,
      to: 150,
      interval: 60,
    })
    assert.deepEqual(
      [times, tx],
      [
        [50, 60, 120],
        [60, 10, 20],
      ],
    )
  })

  it('of nothing are a line of zeros', () =>
    assert.deepEqual(chartPoints([], { from: 0, to: 600, interval: 60 }).tx, [0, 0, 0]))
})
