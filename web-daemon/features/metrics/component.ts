// The health of the metrics, from what has been sampled (decisions.md, Y7).
import { message, sentences } from '@panel/shared/messages/message.ts'
import type { Component } from '../../platform/health.ts'
import type { Metrics } from './metrics.ts'

/** After this many intervals without a reading, sampling has failed. */
const MISSED_READINGS_MAX = 3
/** A panel that has just started competes with everything else that starts; late readings mean nothing then. */
const STARTS_WITHIN_MS = 30_000

export function metricsComponent({ sampler, settings }: Metrics): Component {
  const name = 'metrics'
  const { latest, ageMs, runningMs, isRunning } = sampler
  if (!isRunning) return { name, status: 'unknown', detail: message('component.sampling_not_begun') }
  const interval = settings.get('metrics.sample_interval_seconds')
  const age = Math.round(ageMs / 1000)
  const isLate = age > MISSED_READINGS_MAX * interval + 1
  if ((!latest || isLate) && runningMs < STARTS_WITHIN_MS)
    return { name, status: 'starting', detail: message('component.sampling_starts') }
  if (!latest || isLate) return { name, status: 'error', detail: message('component.sampling_late', { seconds: age }) }
  const { errors } = latest
  if (errors.length > 0)
    return {
      name,
      status: 'degraded',
      detail: sentences(
        ...errors.map(({ part, detail_message: detail }) => message('component.part', { part, detail })),
      ),
    }
  const { total } = sampler.history(0)
  return {
    name,
    status: 'ok',
    detail: message('component.sampling', { seconds: interval, count: total, watching: sampler.topic.size }),
  }
}
