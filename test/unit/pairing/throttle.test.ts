// Decoding pairing codes is bounded per operator and minute (decisions.md, section 4).
import assert from 'node:assert/strict'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { DECODINGS_PER_MINUTE, PairingThrottle } from '@panel/web-daemon/features/tunnels/pairing/throttle.ts'

describe('Decoding pairing codes', () => {
  it('is refused with 429 and Retry-After beyond the limit, for that operator alone, until the minute is over', () => {
    let now = 0
    const throttle = new PairingThrottle(() => new Date(now))
    const isRefused = (operator: string): boolean => {
      try {
        throttle.admit(operator)
        return false
      } catch (refused) {
        assert(refused instanceof Refusal)
        assert.deepEqual([refused.code, refused.headers], ['RATE_LIMITED', { 'Retry-After': '60' }])
        return true
      }
    }
    for (let at = 0; at < DECODINGS_PER_MINUTE; at++) assert(!isRefused('1'))
    assert.deepEqual([isRefused('1'), isRefused('2')], [true, false])
    now = 60_001
    assert(!isRefused('1'))
  })
})
