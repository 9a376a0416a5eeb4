// What the API answers about the watching of tunnels (reference.md, Monitoring status; decisions.md, S2 to S6, M4 to
// M6, T5, E1).
import { nullable, strict, type Static } from '../schema.ts'
import { sentence } from './base/errors.ts'
import { MONITOR_STATES, type MonitorState } from './base/lookups.ts'
import { HealEvent } from './base/heal.ts'
import { LastPass } from './reconcile.ts'
import { RouteHealthEvent } from './routes/answers.ts'
import {
  Amount,
  Count,
  countsOf,
  Flag,
  Id,
  idIn,
  Instant,
  list,
  shape,
  Text,
  described,
  wordIn,
} from './base/shapes.ts'
import { TunnelView } from './tunnels/answers.ts'

const State = wordIn(MONITOR_STATES)
const StateId = idIn(MONITOR_STATES)

/** Statistics of the last probes. Times in milliseconds; null where nothing is known yet. */
export const MonitorStats = strict({
  sent: Count,
  received: Count,
  lost: Count,
  pending: described(Count, 'Sent, and neither answered nor given up.'),
  loss_percent: nullable(Amount),
  rtt_min_ms: nullable(Amount),
  rtt_avg_ms: nullable(Amount),
  rtt_max_ms: nullable(Amount),
  rtt_mdev_ms: nullable(Amount),
  jitter_ms: nullable(Amount),
  last_rtt_ms: nullable(Amount),
  last_reply_at: nullable(Instant),
})
export type MonitorStats = Static<typeof MonitorStats>

export const MonitorStatus = shape('MonitorStatus', {
  tunnel_id: Id,
  interface_name: Text,
  display_name: described(Text, 'A name for people; "" where there is none.'),
  monitor_state_id: StateId,
  state: State,
  ...sentence('reason', 'Why it is so.'),
  enabled: described(Flag, 'Whether the tunnel is to be watched: what its own override says, or else the setting.'),
  tunnel_enabled: described(Flag, 'Whether the tunnel itself is enabled; a disabled one is not watched.'),
  source: described(Text, 'Where probes come from; "" where they cannot.'),
  target: described(Text, 'Where probes go; "" where they cannot.'),
  stats: MonitorStats,
  since: described(Instant, 'When the state began.'),
  updated_at: Instant,
})
export type MonitorStatus = Static<typeof MonitorStatus>

/** The one thing with two spellings of three of its fields. */
export const MonitorSnapshot = shape('MonitorSnapshot', {
  ...MonitorStatus.properties,
  TunnelID: Id,
  State,
  MonitorStateID: StateId,
})
export type MonitorSnapshot = Static<typeof MonitorSnapshot>

export const MonitorEvent = shape('MonitorEvent', {
  monitor_event_id: Id,
  tunnel_id: Id,
  from_monitor_state_id: StateId,
  to_monitor_state_id: StateId,
  from_state: State,
  to_state: State,
  ...sentence('reason'),
  loss_percent: nullable(Amount),
  rtt_avg_ms: nullable(Amount),
  created_date: Instant,
})
export type MonitorEvent = Static<typeof MonitorEvent>

export const MonitorStatusAnswer = shape('MonitorStatusWithEvents', {
  ...MonitorStatus.properties,
  events: described(list(MonitorEvent), 'The newest first.'),
})
export type MonitorStatusAnswer = Static<typeof MonitorStatusAnswer>

export const MonitorCounts = countsOf(Object.keys(MONITOR_STATES) as MonitorState[])
export type MonitorCounts = Static<typeof MonitorCounts>

export const MonitorSummaryAnswer = shape('MonitorSummary', {
  tunnels: list(MonitorSnapshot),
  total: Count,
  counts: MonitorCounts,
  running: described(Flag, 'Whether probes can be sent now.'),
})
export type MonitorSummaryAnswer = Static<typeof MonitorSummaryAnswer>

/** What the monitor stream sends, by the name of the event. */
export const MONITOR_EVENTS = {
  summary: MonitorSummaryAnswer,
  tunnel: MonitorSnapshot,
  tunnel_deleted: shape('TunnelGone', { tunnel_id: Id, interface_name: Text }),
  reconcile: LastPass,
  route: RouteHealthEvent,
  heal: HealEvent,
  safe_apply: shape('SafeApplyEvent', {
    is_open: described(Flag, 'Whether changes wait for a confirmation: GET /safe-apply has the details.'),
  }),
}

export const MonitorPoint = shape('MonitorPoint', {
  bucket_start: Instant,
  sent_count: Count,
  received_count: Count,
  loss_percent: nullable(Amount),
  rtt_min_ms: described(nullable(Amount), 'Null, as the others, where nothing was answered.'),
  rtt_avg_ms: nullable(Amount),
  rtt_max_ms: nullable(Amount),
  jitter_ms: nullable(Amount),
  worst_monitor_state_id: StateId,
  worst_state: State,
  up_seconds: described(Amount, 'How long it was up; what is left of the time was not measured.'),
  degraded_seconds: Amount,
  down_seconds: Amount,
  rx_bytes: described(nullable(Count), 'What went through the interface in this time; null where it was not counted.'),
  tx_bytes: nullable(Count),
  samples: described(Id, 'How many stored intervals the point stands for.'),
})
export type MonitorPoint = Static<typeof MonitorPoint>

export const MonitorHistoryAnswer = shape('MonitorHistory', {
  tunnel_id: Id,
  points: described(list(MonitorPoint), 'Newest last.'),
  total: described(Count, 'How many points there are in the requested time, of which the newest are returned.'),
  resolution_seconds: Amount,
})
export type MonitorHistoryAnswer = Static<typeof MonitorHistoryAnswer>

export const TunnelUptime = shape('TunnelUptime', {
  tunnel_id: Id,
  uptime_percent: described(nullable(Amount), 'Of the time that was measured; null where none was.'),
  up_seconds: Amount,
  degraded_seconds: Amount,
  down_seconds: Amount,
  worst_monitor_state_ids: described(
    list(nullable(StateId)),
    'The worst state of each part of the time, the oldest first; null where nothing was recorded.',
  ),
})
export type TunnelUptime = Static<typeof TunnelUptime>

export const MonitorUptimeAnswer = shape('MonitorUptime', {
  hours: Count,
  since: described(Instant, 'When the first part begins.'),
  tick_seconds: described(Count, 'How long each part is; the last one is running.'),
  tunnels: list(TunnelUptime),
  total: Count,
})
export type MonitorUptimeAnswer = Static<typeof MonitorUptimeAnswer>

export const MonitorToggleAnswer = shape('MonitorToggled', { tunnel_id: Id, monitor_enabled: Flag, tunnel: TunnelView })
export type MonitorToggleAnswer = Static<typeof MonitorToggleAnswer>
