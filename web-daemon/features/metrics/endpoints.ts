// The endpoints of the section Metrics.
import type { MetricsHistoryAnswer } from '@panel/shared/api/metrics.ts'
import { message } from '@panel/shared/messages/message.ts'
import { ok, query, stream } from '../../platform/http/endpoint.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { hostOnly } from './history.ts'
import { showHostHistory } from './host-history.ts'
import type { Metrics } from './metrics.ts'

const tag = 'metrics'
/** Every event is a whole snapshot, so a short queue is enough (decisions.md, E4). */
const QUEUE = 16

export function metricsEndpoints({ sampler, history }: Pick<Metrics, 'sampler' | 'history'>) {
  return [
    query('GET /system/metrics', { tag, summary: 'The newest reading of the host and its traffic' }, async () => {
      const snapshot = await sampler.current()
      if (snapshot) return ok(snapshot)
      throw new Refusal('SERVICE_UNAVAILABLE', message('panel.not_sampling'), { details: { reason: 'not_sampling' } })
    }),
    stream('GET /system/metrics/stream', { tag, summary: 'Every reading as it is taken', queue: QUEUE }, () =>
      sampler.stream(),
    ),
    query(
      'GET /system/metrics/history',
      {
        tag,
        summary: 'The readings of the last minutes, for sparklines',
      },
      async (_context, incoming) => {
        const { total } = sampler.history(0)
        const answer: MetricsHistoryAnswer = sampler.history(
          parsePaging(incoming.query, { standard: total, maximum: total }).limit,
        )
        return ok(incoming.query['detail'] === 'host' ? { ...answer, points: answer.points.map(hostOnly) } : answer)
      },
    ),
    query(
      'GET /system/history',
      {
        tag,
        summary: 'The load of the host and its traffic, interval by interval',
      },
      showHostHistory(history),
    ),
  ]
}
