// The health of the metrics, from what has been sampled (decisions.md, Y7).
import type { Component } from '../../platform/health.ts'
import type { Metrics } from './metrics.ts'

/** After this many intervals without a reading, sampling has failed. */
const MISSED_READINGS_MAX = 3

export function metricsComponent({ sampler, settings }: Metrics): Component {
  const name = 'metrics'
  const { latest, ageMs, isRunning } = sampler
  if (!isRunning) return { name, status: 'unknown', detail: 'The sampling has not begun' }
  if (!latest) return { name, status: 'unknown', detail: 'The first reading is on its way' }
  const interval = settings.get('metrics.sample_interval_seconds')
  const age = Math.round(ageMs / 1000)
  if (age > MISSED_READINGS_MAX * interval + 1) return { name, status: 'error', detail: `No reading for ${age} s` }
  const { errors } = latest
  if (errors.length > 0)
    return { name, status: 'degraded', detail: errors.map(({ part, detail }) => `${part}: ${detail}`).join('; ') }
  const { total } = sampler.history(0)
  return {
    name,
    status: 'ok',
    detail: `One reading every ${interval} s, ${total} kept, ${sampler.topic.size} watching`,
  }
}
