// The endpoints of the section Traffic (reference.md, traffic endpoints; decisions.md, F18 to F20, F23).
import { TRAFFIC_HISTORY_LIMIT, TRAFFIC_HOURS, TRAFFIC_POINTS } from '@panel/shared/api/queries.ts'
import type {
  RouteCountersAnswer,
  RouteTrafficAnswer,
  TrafficBucket,
  TrafficHistoryAnswer,
  TrafficSummaryAnswer,
  TrafficView,
} from '@panel/shared/api/routes/traffic.ts'
import type { ReadContext } from '../../platform/context.ts'
import { readPoints } from '../../platform/series/store.ts'
import { ok, query, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { parseSpan } from '../../platform/http/resolution.ts'
import { TRAFFIC_HISTORY, type Bucket } from './bucket.ts'
import { listConnections } from './connections.ts'
import { requireRoute } from '../routes/target.ts'
import { allTitles } from '../routes/store.ts'
import type { Traffic } from './traffic.ts'
import { message, messageFields } from '@panel/shared/messages/message.ts'
import { trafficNote, trafficView } from './view.ts'

const tag = 'traffic'

export function trafficEndpoints(traffic: Traffic) {
  return [
    query('GET /routes/traffic/summary', { tag, summary: 'What goes through all the rules.' }, summary(traffic)),
    query(
      'GET /routes/{id}/traffic',
      {
        tag,
        summary: "What goes through a rule now: the kernel's counters and the panel's totals beside each other.",
      },
      live(traffic),
    ),
    query(
      'GET /routes/{id}/traffic/history',
      {
        tag,
        summary: 'What went through a rule, interval by interval.',
      },
      history(traffic),
    ),
    query(
      'GET /routes/{id}/counters',
      {
        tag,
        summary: 'The counters of a rule, read from the accounting in the filter hooks.',
      },
      counters(traffic),
    ),
    query(
      'GET /routes/{id}/connections',
      {
        tag: 'routes',
        summary: 'Who uses a rule now, from connection tracking; "available" is false where that cannot be read.',
      },
      listConnections(traffic),
    ),
  ]
}

type Handler<T> = (context: ReadContext, incoming: Incoming) => Promise<Answer<T>>

function live(traffic: Traffic): Handler<RouteTrafficAnswer> {
  return async ({ db }, { params, query: values }) => {
    const record = await requireRoute(db, params)
    await traffic.read()
    const points = traffic.points(record.route_rule_id, boundedCount(values['points'], TRAFFIC_POINTS))
    const { is_readable, detail } = traffic.available
    const answer: RouteTrafficAnswer = {
      route_rule_id: record.route_rule_id,
      title: record.route_rule_title,
      traffic: await trafficView(traffic, record),
      sampled: is_readable,
      points: points.map(({ at, seconds, delta }) => ({
        at: new Date(at).toISOString(),
        rx_bytes_per_second: delta.rx_bytes / seconds,
        tx_bytes_per_second: delta.tx_bytes / seconds,
      })),
      ...trafficNote(is_readable ? null : detail, traffic.missing),
    }
    return ok(answer)
  }
}

function summary(traffic: Traffic): Handler<TrafficSummaryAnswer> {
  return async ({ db }) => {
    const titles = await allTitles(db)
    await traffic.upToDate()
    const views = await Promise.all(titles.map((one) => trafficView(traffic, one)))
    const sum = (of: (view: TrafficView) => number | null): number | null =>
      views.every((view) => of(view) === null) ? null : views.reduce((all, view) => all + (of(view) ?? 0), 0)
    const answer: TrafficSummaryAnswer = {
      summary: {
        routes: views.length,
        rx_bytes_per_second: sum((view) => view.rx_bytes_per_second),
        tx_bytes_per_second: sum((view) => view.tx_bytes_per_second),
        rx_bytes_since_creation: sum((view) => view.rx_bytes_since_creation) ?? 0,
        tx_bytes_since_creation: sum((view) => view.tx_bytes_since_creation) ?? 0,
        active_connections: sum((view) => view.active_connections),
        at: traffic.lastAt === null ? null : new Date(traffic.lastAt).toISOString(),
      },
      routes: views,
      ...trafficNote(null, traffic.missing),
    }
    return ok(answer)
  }
}

function history(traffic: Traffic): Handler<TrafficHistoryAnswer> {
  return async ({ db, now }, { params, query: values }) => {
    const { route_rule_id } = await requireRoute(db, params)
    const usual_seconds = boundedCount(values['hours'], TRAFFIC_HOURS) * 3600
    const span = parseSpan(values, now(), { stored_seconds: traffic.bucketSeconds, usual_seconds })
    const { from, resolution_seconds: interval_seconds } = span
    const { limit } = parsePaging(values, TRAFFIC_HISTORY_LIMIT)
    const unsaved = traffic.unsaved(route_rule_id)
    const { points, total } = await readPoints(db, TRAFFIC_HISTORY, { key: route_rule_id, span, limit, unsaved })
    const answer: TrafficHistoryAnswer = {
      route_rule_id,
      samples: points.map(bucketView),
      total,
      interval_seconds,
      since: new Date(from * 1000).toISOString(),
      ...messageFields('note', message('note.samples', { seconds: interval_seconds })),
    }
    return ok(answer)
  }
}

const bucketView = ({
  bucket_start,
  rx_bytes,
  tx_bytes,
  rx_packets,
  tx_packets,
  active_connections,
  new_connections,
}: Bucket): TrafficBucket => ({
  bucket_start_date: new Date(bucket_start * 1000).toISOString(),
  rx_bytes,
  tx_bytes,
  rx_packets,
  tx_packets,
  active_connections,
  new_connections,
})

const boundedCount = (
  text: string | undefined,
  { standard, maximum }: { readonly standard: number; readonly maximum: number },
): number =>
  Math.min(text !== undefined && /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : standard, maximum)

function counters(traffic: Traffic): Handler<RouteCountersAnswer> {
  return async ({ db, now }, { params }) => {
    const record = await requireRoute(db, params)
    await traffic.read()
    const { is_readable, detail } = traffic.available
    const view = await trafficView(traffic, record)
    const answer: RouteCountersAnswer = {
      route_rule_id: record.route_rule_id,
      available: is_readable,
      rx_bytes_since_boot: view.rx_bytes_since_boot,
      tx_bytes_since_boot: view.tx_bytes_since_boot,
      rx_packets_since_boot: view.rx_packets_since_boot,
      tx_packets_since_boot: view.tx_packets_since_boot,
      rx_bytes_since_creation: view.rx_bytes_since_creation,
      tx_bytes_since_creation: view.tx_bytes_since_creation,
      hit: view.rx_packets_since_creation + view.tx_packets_since_creation > 0,
      ...messageFields('source', message('note.counter_source')),
      ...trafficNote(is_readable ? null : detail, traffic.missing),
      checked_at: now().toISOString(),
    }
    return ok(answer)
  }
}
