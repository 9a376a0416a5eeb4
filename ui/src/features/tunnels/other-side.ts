// Whether the other side of a tunnel has answered a probe; pure, for tests.
import type { MonitorStatus } from '@panel/shared/api/monitor.ts'

export type Answer = 'answers' | 'waiting' | 'unwatched'

export const answerOf = ({ state, enabled, stats }: Pick<MonitorStatus, 'state' | 'enabled' | 'stats'>): Answer => {
  if (!enabled) return 'unwatched'
  return state !== 'Down' && stats.last_reply_at !== null ? 'answers' : 'waiting'
}
