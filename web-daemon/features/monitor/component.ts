// The health of the monitoring, from what it has observed (decisions.md, Y7).
import { message, verbatim } from '@panel/shared/messages/message.ts'
import type { Component } from '../../platform/health.ts'
import type { Monitor } from './monitor.ts'

/** Added to the longest time that a probe can take. */
const GRACE_MS = 10_000

export function monitorComponent(monitor: Monitor): Component {
  const name = 'monitor'
  const { prober, historyWriter, feed, stopped, isStarted } = monitor
  if (!isStarted) return { name, status: 'unknown', detail: stopped ?? verbatim('') }
  if (stopped !== null) return { name, status: 'error', detail: stopped }
  const silent_ms = prober.lastItemAt === null ? 0 : performance.now() - prober.lastItemAt
  if (prober.size > 0 && silent_ms > prober.nextWithinMs + GRACE_MS)
    return {
      name,
      status: 'error',
      detail: message('component.monitor_silent', { seconds: Math.round(silent_ms / 1000) }),
    }
  if (historyWriter.failure !== null)
    return { name, status: 'degraded', detail: message('component.monitor_unstored', { why: historyWriter.failure }) }
  const states = Object.entries(monitor.tunnels.counts())
    .filter(([, count]) => count > 0)
    .map(([state, count]) => message('component.monitor_state', { count, state }))
  return {
    name,
    status: 'ok',
    detail:
      states.length > 0
        ? message('component.monitor', { count: prober.size, states, watching: feed.topic.size })
        : message('component.monitor_idle', { watching: feed.topic.size }),
  }
}
