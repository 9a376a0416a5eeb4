// How long a tunnel was in a state, by the intervals of its history.
import type { MonitorState } from '@panel/shared/api/base/lookups.ts'
import { intervalStart } from '../../platform/series/spans.ts'
import type { Bucket, TIMES } from './bucket.ts'

type TimeField = (typeof TIMES)[number]

const FIELDS: Readonly<Partial<Record<MonitorState, TimeField>>> = {
  Up: 'up_ms',
  Degraded: 'degraded_ms',
  Down: 'down_ms',
}
/** A tunnel is looked at once an interval; a host that is busy is later by so much at most. */
const LATE_MS = 60_000

/** Empty where nobody looked for so long, as while the host was suspended, and for states that are no measurement. */
export function stateTimes(
  state: MonitorState,
  from_ms: number,
  to_ms: number,
  interval_seconds: number,
): (Pick<Bucket, 'bucket_start'> & Partial<Pick<Bucket, TimeField>>)[] {
  const field = FIELDS[state]
  if (!field || to_ms - from_ms > 2 * interval_seconds * 1000 + LATE_MS) return []
  const times = []
  for (let start = from_ms; start < to_ms;) {
    const bucket_start = intervalStart(start / 1000, interval_seconds)
    const end = Math.min(to_ms, (bucket_start + interval_seconds) * 1000)
    times.push({ bucket_start, [field]: end - start })
    start = end
  }
  return times
}
