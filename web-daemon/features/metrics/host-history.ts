// Sums up the readings of the host by interval, as long and kept as long as those of tunnels (reference.md,
// GET /system/history).
import type { HostHistoryAnswer } from '@panel/shared/api/metrics.ts'
import type { StoreContext, ReadContext } from '../../platform/context.ts'
import { intervalStart } from '../../platform/series/spans.ts'
import { addIntervals, deleteIntervalsBefore, readPoints } from '../../platform/series/store.ts'
import { UnsavedIntervals } from '../../platform/series/unsaved.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { parseSpan } from '../../platform/http/resolution.ts'
import { HISTORY_LIMIT } from '@panel/shared/api/queries.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import type { HostReading } from './host-reader.ts'
import { figuresOf, HOST_HISTORY, toHostPoint, type HostBucket } from './host-bucket.ts'

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
  readonly #buckets = new UnsavedIntervals(HOST_HISTORY, UNSAVED_MAX)

  constructor(deps: HostHistoryDeps) {
    this.#deps = deps
  }

  get intervalSeconds(): number {
    return this.#deps.settings.get('monitor.aggregate_interval_seconds')
  }

  /** Intervals that are not stored yet. */
  get unsaved(): readonly HostBucket[] {
    return this.#buckets.all
  }

  /** `seconds`: since the reading before. */
  add(reading: HostReading, seconds: number): void {
    const bucket_start = intervalStart(this.#nowSeconds, this.intervalSeconds)
    this.#buckets.add({ bucket_start, ...figuresOf(reading, seconds) })
  }

  /** Intervals that are over; at the end of the panel the last one too. What cannot be written is tried again. */
  async save(isLast: boolean): Promise<void> {
    const { db, settings } = this.#deps
    const ended = this.#nowSeconds - this.intervalSeconds
    const due = this.#buckets.take(({ bucket_start }) => isLast || bucket_start <= ended)
    try {
      await db.transaction().execute(async (transaction) => {
        await addIntervals(transaction, HOST_HISTORY, due)
        const kept_seconds = settings.get('monitor.history_retention_days') * DAY_S
        await deleteIntervalsBefore(transaction, HOST_HISTORY, this.#nowSeconds - kept_seconds, {
          most: DELETE_AT_ONCE,
        })
      })
    } catch (failure) {
      for (const bucket of due) this.#buckets.add(bucket)
      throw failure
    }
  }

  get #nowSeconds(): number {
    return Math.floor(this.#deps.now().getTime() / 1000)
  }
}

export function showHostHistory(history: HostHistory) {
  return async ({ db, now }: ReadContext, { query }: Incoming): Promise<Answer<HostHistoryAnswer>> => {
    const span = parseSpan(query, now(), { stored_seconds: history.intervalSeconds, usual_seconds: DAY_S })
    const { limit } = parsePaging(query, HISTORY_LIMIT)
    const { points, total } = await readPoints(db, HOST_HISTORY, { key: null, span, limit, unsaved: history.unsaved })
    const answer: HostHistoryAnswer = {
      points: points.map((point) => toHostPoint(point, point.samples)),
      total,
      resolution_seconds: span.resolution_seconds,
    }
    return ok(answer)
  }
}
