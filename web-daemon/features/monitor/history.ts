// The stored history of a tunnel, joined to points of the requested resolution, each with its worst state
// (reference.md, GET /tunnels/{id}/history; decisions.md, M4).
import type { MonitorHistoryAnswer } from '@panel/shared/api/monitor.ts'
import type { ReadContext } from '../../platform/context.ts'
import { intervalStart, type Span } from '../../platform/db/spans.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { timeParameter, limitParameter, queryParameters } from '../../platform/http/queries.ts'
import { RESOLUTION, parseSpan } from '../../platform/http/resolution.ts'
import { idIn } from '../tunnels/get.ts'
import { requireTunnel } from '../tunnels/target.ts'
import { joinBuckets, toPoint, type Bucket } from './bucket.ts'
import type { Monitor } from './monitor.ts'
import { findPoints, type StoredPoint } from './store.ts'

const DAY_S = 86_400

const MOST = { standard: 5000, maximum: 20_000 }

export const HISTORY_QUERY = queryParameters({
  from: timeParameter('Where the time begins. Default: a day before its end.'),
  to: timeParameter('Where the time ends. Default: now.'),
  resolution_seconds: RESOLUTION,
  limit: limitParameter(MOST),
})

export function showHistory(monitor: Monitor) {
  return async (
    { db, now, settings }: ReadContext,
    { params, query }: Incoming,
  ): Promise<Answer<MonitorHistoryAnswer>> => {
    const { tunnel_id } = await requireTunnel(db, idIn(params))
    await monitor.settled()
    const stored_seconds = settings.get('monitor.aggregate_interval_seconds')
    const span = parseSpan(query, now(), { stored_seconds, usual_seconds: DAY_S })
    const { limit } = parsePaging(query, MOST)
    const stored = await findPoints(db, tunnel_id, span, limit)
    const watched = monitor.of(tunnel_id)
    watched?.note(now().getTime())
    const unsaved = (watched?.buckets ?? []).filter(
      ({ bucket_start }) => bucket_start >= span.from && bucket_start < span.to,
    )
    const points = completePoints(stored.points, unsaved, span)
    const answer: MonitorHistoryAnswer = {
      tunnel_id,
      points: limit === 0 ? [] : points.slice(-limit).map((point) => toPoint(point, point.samples)),
      total: stored.total + points.length - stored.points.length,
      resolution_seconds: span.resolution_seconds,
    }
    return ok(answer)
  }
}

/** Completes intervals that are stored only in part. */
function completePoints(
  stored: readonly StoredPoint[],
  unsaved: readonly Bucket[],
  { resolution_seconds }: Span,
): StoredPoint[] {
  const points = new Map(stored.map((point) => [point.bucket_start, point]))
  for (const bucket of unsaved) {
    const bucket_start = intervalStart(bucket.bucket_start, resolution_seconds)
    const point = points.get(bucket_start)
    points.set(
      bucket_start,
      point
        ? {
            ...joinBuckets(point, bucket),
            samples: point.samples + (point.bucket_start === bucket.bucket_start ? 0 : 1),
          }
        : { ...bucket, bucket_start, samples: 1 },
    )
  }
  return [...points.values()].sort((a, b) => a.bucket_start - b.bucket_start)
}
