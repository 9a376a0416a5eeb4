// How a tunnel or a relay rule is, in one word and a sentence, for what shows both side by side: lists and the status
// of the command line.
import { MONITOR_STATES, titleOf } from './base/lookups.ts'
import type { MonitorSnapshot } from './monitor.ts'
import type { RouteItem } from './routes/answers.ts'
import type { TunnelView } from './tunnels/answers.ts'

/** "disabled" is what the operator wants; "unknown" is neither up nor down. */
export type ShownState = 'up' | 'degraded' | 'down' | 'unknown' | 'disabled'

export interface Shown {
  readonly state: ShownState
  readonly why: string
  /** Nothing is known because the operator does not have it watched. */
  readonly isUnwatched?: true
}

type Watched = Pick<MonitorSnapshot, 'monitor_state_id' | 'reason' | 'enabled'>

/** `watched`: null where the monitor says nothing of the tunnel. */
export function tunnelShown({ is_enabled, observed, last_apply_error }: TunnelView, watched: Watched | null): Shown {
  if (!is_enabled) return { state: 'disabled', why: '' }
  if (!observed.is_known) return { state: 'unknown', why: observed.detail }
  if (!observed.exists) return { state: 'down', why: last_apply_error || 'The interface is missing on this host.' }
  if (!observed.is_up) return { state: 'down', why: 'The interface is down, although the tunnel is enabled.' }
  if (watched === null) return { state: 'unknown', why: 'The monitor has no state of it yet.' }
  if (!watched.enabled)
    return { state: 'unknown', why: 'Not monitored: the interface is up, no probe is sent.', isUnwatched: true }
  const state = STATES[titleOf(MONITOR_STATES, watched.monitor_state_id)]
  return { state, why: state === 'up' ? '' : watched.reason }
}

const STATES = { Unknown: 'unknown', Up: 'up', Degraded: 'degraded', Down: 'down', Disabled: 'unknown' } as const

export function routeShown({ route, health }: Pick<RouteItem, 'route' | 'health'>): Shown {
  if (!route.is_enabled) return { state: 'disabled', why: '' }
  const state = health.severity === 'ok' ? 'up' : health.severity
  return { state, why: state === 'up' ? '' : health.detail }
}
