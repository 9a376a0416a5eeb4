// The ticks of a list's row, by height as well as by colour.
import assert from 'node:assert/strict'
import { heartbeat } from '../../../ui/src/components/chart/heartbeat.ts'

describe('The ticks of an uptime', () => {
  it('are one path for each state, each of its own height, and nothing where nothing was recorded', () => {
    assert.deepEqual(heartbeat([null, 20, 20, 30, 40, null]), [
      { state: 'up', path: 'M1 14h0.75v6h-0.75zM2 14h0.75v6h-0.75z' },
      { state: 'degraded', path: 'M3 8h0.75v12h-0.75z' },
      { state: 'down', path: 'M4 0h0.75v20h-0.75z' },
    ])
    const heights = [10, 20, 30, 40, 50].map((id) => heartbeat([id])[0]?.path)
    assert.equal(new Set(heights).size, 5)
    assert.deepEqual(heartbeat(Array<null>(90).fill(null)), [])
  })
})
