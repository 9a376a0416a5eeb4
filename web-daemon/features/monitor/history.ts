// The stored history of a tunnel, joined to points of the requested resolution, each with its worst state
// (reference.md, GET /tunnels/{id}/history; decisions.md, M4).
import type { MonitorHistoryAnswer } from '@panel/shared/api/monitor.ts'
import type { ReadContext } from '../../platform/context.ts'
import { readPoints } from '../../platform/series/store.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { parseSpan } from '../../platform/http/resolution.ts'
import { HISTORY_LIMIT } from '@panel/shared/api/queries.ts'
import { idIn } from '../tunnels/get.ts'
import { requireTunnel } from '../tunnels/target.ts'
import { HISTORY, toPoint } from './bucket.ts'
import type { Monitor } from './monitor.ts'

const DAY_S = 86_400

export function showHistory(monitor: Monitor) {
  return async (
    { db, now, settings }: ReadContext,
    { params, query }: Incoming,
  ): Promise<Answer<MonitorHistoryAnswer>> => {
    const { tunnel_id } = await requireTunnel(db, idIn(params))
    await monitor.settled()
    const stored_seconds = settings.get('monitor.aggregate_interval_seconds')
    const span = parseSpan(query, now(), { stored_seconds, usual_seconds: DAY_S })
    const { limit } = parsePaging(query, HISTORY_LIMIT)
    const watched = monitor.tunnels.of(tunnel_id)
    watched?.note(now().getTime())
    const unsaved = watched?.buckets ?? []
    const { points, total } = await readPoints(db, HISTORY, { key: tunnel_id, span, limit, unsaved })
    const answer: MonitorHistoryAnswer = {
      tunnel_id,
      points: points.map((point) => toPoint(point, point.samples)),
      total,
      resolution_seconds: span.resolution_seconds,
    }
    return ok(answer)
  }
}
