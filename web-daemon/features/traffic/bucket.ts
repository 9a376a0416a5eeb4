// The traffic of a rule within one interval of its history, and how two parts of an interval are joined.
import { joinConnectionCounts, type ConnectionCounts } from './connection-counter.ts'
import { plus, type TrafficDelta } from './delta.ts'

export interface Bucket extends TrafficDelta, ConnectionCounts {
  readonly route_rule_id: number
  /** Seconds since 1970. */
  readonly bucket_start: number
}

/** Two parts of one interval of one rule. */
export function joinBuckets(before: Bucket | undefined, part: Bucket): Bucket {
  return before ? { ...part, ...plus(before, part), ...joinConnectionCounts(before, part) } : part
}
