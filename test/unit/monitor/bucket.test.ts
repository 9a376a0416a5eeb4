// Intervals of a tunnel's history, joined and shown (decisions.md, M4).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { emptyBucket, toPoint, type Bucket } from '@panel/web-daemon/features/monitor/bucket.ts'
import { joinBuckets } from '../../support/intervals.ts'

const bucket: fc.Arbitrary<Bucket> = fc.record({
  tunnel_id: fc.constant(7),
  bucket_start: fc.constant(0),
  sent_count: fc.nat(99),
  received_count: fc.nat(99),
  rtt_sum_us: fc.nat(),
  rtt_min_us: fc.option(fc.nat()),
  rtt_max_us: fc.option(fc.nat()),
  jitter_sum_us: fc.nat(),
  jitter_count: fc.nat(99),
  worst_severity: fc.nat(4),
  up_ms: fc.nat(99_999),
  degraded_ms: fc.nat(99_999),
  down_ms: fc.nat(99_999),
  rx_bytes: fc.option(fc.nat()),
  tx_bytes: fc.option(fc.nat()),
})

describe('Intervals of history', () => {
  it('join to the same whole in whatever order and grouping', () => {
    fc.assert(
      fc.property(bucket, bucket, bucket, (a, b, c) => {
        assert.deepEqual(joinBuckets(joinBuckets(a, b), c), joinBuckets(a, joinBuckets(b, c)))
        assert.deepEqual(joinBuckets(a, b), joinBuckets(b, a))
        assert.deepEqual(joinBuckets(emptyBucket(7, 0), a), { ...a })
      }),
    )
  })

  it('show the worst state of all, Down before Degraded before Unknown before Up, and Disabled only where it is alone', () => {
    const worst = (...severities: number[]): string =>
      toPoint(severities.map((worst_severity) => ({ ...emptyBucket(7, 0), worst_severity })).reduce(joinBuckets), 1)
        .worst_state
    assert.deepEqual(
      [worst(0), worst(0, 1), worst(1, 2), worst(2, 3, 1), worst(3, 4, 0)],
      ['Disabled', 'Up', 'Unknown', 'Degraded', 'Down'],
    )
  })
})
