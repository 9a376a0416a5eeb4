// What went through a rule within one interval of its history, and how the parts of an interval are put together.
import { joinConnected, type Connected } from '../connections/connected.ts'
import { plus, type Moved } from './moved.ts'

export interface Bucket extends Moved, Connected {
  readonly route_rule_id: number
  /** Seconds since 1970. */
  readonly bucket_start: number
}

/** Two parts of one interval of one rule. */
export const joinBuckets = (before: Bucket | undefined, part: Bucket): Bucket =>
  before ? { ...part, ...plus(before, part), ...joinConnected(before, part) } : part
