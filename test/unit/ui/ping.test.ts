// The packets of a ping as the page lists and draws them.
import assert from 'node:assert/strict'
import { newestFirst, pingTimeline } from '../../../ui/src/features/tunnels/timeline.ts'

/** The first reply comes after the second. */
const packets = [2, 1, 3].map((sequence) => ({ sequence, success: sequence !== 3, rtt_ms: sequence }))

describe('The packets of a ping', () => {
  it('are listed by when they were sent, the newest first, whichever reply came first', () => {
    assert.deepEqual(
      newestFirst(packets, 200).map(({ sequence }) => sequence),
      [3, 2, 1],
    )
    assert.deepEqual(
      newestFirst(packets, 1).map(({ sequence }) => sequence),
      [3],
    )
  })

  it('are drawn at the time they were sent, and those without a reply beside the line', () => {
    const run = { started_date: '2026-01-01T00:00:00.000Z', params: { interval_seconds: 2 } }
    const { times, rtts, lost } = pingTimeline(packets, run)
    const start = Date.parse(run.started_date) / 1000
    assert.deepEqual(times, [start, start + 2, start + 4])
    assert.deepEqual(rtts, [1, 2, null])
    assert.deepEqual(lost, [start + 4])
  })
})
