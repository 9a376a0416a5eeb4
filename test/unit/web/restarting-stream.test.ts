// A stream that is restarted whenever it ends, by a clock that the test moves.
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { mock } from 'node:test'
import { openRestartingStream, type RestartingStream } from '@panel/web-daemon/platform/helper/restarting-stream.ts'
import type { Streamer } from '@panel/web-daemon/platform/helper/streams.ts'

const SOON_MS = 1000
const AWAY_MS = 7000

describe('A stream of the root helper that is restarted whenever it ends', () => {
  let attempts: number
  let stream: RestartingStream

  const refuse: Streamer = () => {
    attempts += 1
    return Promise.reject(new Error('the root helper is away'))
  }
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 100) {
      mock.timers.tick(100)
      await turn()
    }
  }

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] })
    attempts = 0
    stream = openRestartingStream({
      stream: refuse,
      method: 'events.subscribe',
      params: () => ({}),
      onItem: () => undefined,
      onEnd: () => undefined,
    })
  })
  afterEach(async () => {
    await stream.close()
    mock.timers.reset()
  })

  it('is tried again within a second, however long the helper was away', async () => {
    await pass(AWAY_MS)
    const before = attempts
    await pass(SOON_MS)
    assert.ok(attempts > before, `${attempts} attempts while it was away, and none in the second after that`)
  })

  it('is not tried more than a few times a second', async () => {
    await pass(AWAY_MS)
    assert.ok(attempts <= AWAY_MS / SOON_MS + 5, `${attempts} attempts in seven seconds`)
  })
})
