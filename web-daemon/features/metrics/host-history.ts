// Sums up the readings of the host by interval, as long and kept as long as those of tunnels (reference.md,
// GET /system/history).
import type { HostHistoryAnswer, MetricsSnapshot } from '@panel/shared/api/metrics.ts'
import type { StoreContext, ReadContext } from '../../platform/context.ts'
import { completePoints, intervalStart } from '../../platform/db/spans.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { parseSpan } from '../../platform/http/resolution.ts'
import { HISTORY_LIMIT } from '@panel/shared/api/queries.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { emptyHostBucket, figuresOf, joinHostBuckets, toHostPoint, type HostBucket } from './host-bucket.ts'
import { addHostBuckets, deleteHostBucketsBefore, findHostPoints } from './store-host.ts'

const DAY_S = 86_400
const DELETE_AT_ONCE = 5000
/** Intervals in memory while the store cannot be written: the oldest go first. */
export const UNSAVED_MAX = 1440

interface HostHistoryDeps {
  readonly db: StoreContext['db']
  readonly now: () => Date
  readonly settings: SettingsReader
}

export class HostHistory {
  readonly #deps: HostHistoryDeps
  #buckets = new Map<number, HostBucket>()

  constructor(deps: HostHistoryDeps) {
    this.#deps = deps
  }

  get intervalSeconds(): number {
    return this.#deps.settings.get('monitor.aggregate_interval_seconds')
  }

  /** Intervals that are not stored yet. */
  get unsaved(): readonly HostBucket[] {
    return [...this.#buckets.values()]
  }

  /** `seconds`: since the reading before. */
  add(snapshot: MetricsSnapshot, seconds: number): void {
    const bucket_start = intervalStart(this.#nowSeconds, this.intervalSeconds)
    this.#join({ bucket_start, ...figuresOf(snapshot, seconds) })
  }

  /** Intervals that are over; at the end of the panel the last one too. What cannot be written is tried again. */
  async save(isLast: boolean): Promise<void> {
    const { db, settings } = this.#deps
    const due = this.unsaved.filter(
      ({ bucket_start }) => isLast || bucket_start + this.intervalSeconds <= this.#nowSeconds,
    )
    for (const { bucket_start } of due) this.#buckets.delete(bucket_start)
    try {
      await db.transaction().execute(async (transaction) => {
        await addHostBuckets(transaction, due)
        const kept_seconds = settings.get('monitor.history_retention_days') * DAY_S
        await deleteHostBucketsBefore(transaction, this.#nowSeconds - kept_seconds, DELETE_AT_ONCE)
      })
    } catch (failure) {
      for (const bucket of due) this.#join(bucket)
      throw failure
    }
  }

  get #nowSeconds(): number {
    return Math.floor(this.#deps.now().getTime() / 1000)
  }

  #join(bucket: HostBucket): void {
    const before = this.#buckets.get(bucket.bucket_start) ?? emptyHostBucket(bucket.bucket_start)
    this.#buckets.set(bucket.bucket_start, joinHostBuckets(before, bucket))
    if (this.#buckets.size > UNSAVED_MAX) this.#buckets.delete(Math.min(...this.#buckets.keys()))
  }
}

export function showHostHistory(history: HostHistory) {
  return async ({ db, now }: ReadContext, { query }: Incoming): Promise<Answer<HostHistoryAnswer>> => {
    const span = parseSpan(query, now(), { stored_seconds: history.intervalSeconds, usual_seconds: DAY_S })
    const { limit } = parsePaging(query, HISTORY_LIMIT)
    const stored = await findHostPoints(db, span, limit)
    const points = completePoints(stored.points, history.unsaved, span, joinHostBuckets)
    const answer: HostHistoryAnswer = {
      points: limit === 0 ? [] : points.slice(-limit).map((point) => toHostPoint(point, point.samples)),
      total: stored.total + points.length - stored.points.length,
      resolution_seconds: span.resolution_seconds,
    }
    return ok(answer)
  }
}
