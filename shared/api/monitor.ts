// What the API answers about the watching of tunnels (interface.md, Monitoring status; decisions.md, S2 to S6, M4 to M6, T5, E1).
import type { MonitorState } from './lookups.ts'
import type { TunnelView } from './tunnel-answers.ts'

/** Of the last probes. Times in milliseconds; null where nothing is known yet. */
export interface MonitorStats {
  sent: number
  received: number
  lost: number
  /** Sent, and neither answered nor given up. */
  pending: number
  loss_percent: number | null
  rtt_min_ms: number | null
  rtt_avg_ms: number | null
  rtt_max_ms: number | null
  rtt_mdev_ms: number | null
  jitter_ms: number | null
  last_rtt_ms: number | null
  last_reply_at: string | null
}

export interface MonitorStatus {
  tunnel_id: number
  interface_name: string
  monitor_state_id: number
  state: MonitorState
  /** Why it is so; never empty. */
  reason: string
  /** Whether the tunnel is to be watched: what its own override says, or else the setting. */
  enabled: boolean
  /** Where probes come from and go to; "" where they cannot. */
  source: string
  target: string
  stats: MonitorStats
  /** When the state began. */
  since: string
  updated_at: string
}

/** The one thing with two spellings of three of its fields. */
export interface MonitorSnapshot extends MonitorStatus {
  TunnelID: number
  State: MonitorState
  MonitorStateID: number
}

export interface MonitorEvent {
  monitor_event_id: number
  tunnel_id: number
  from_monitor_state_id: number
  to_monitor_state_id: number
  from_state: MonitorState
  to_state: MonitorState
  reason: string
  loss_percent: number | null
  rtt_avg_ms: number | null
  created_date: string
}

/** `events`: the newest first. */
export interface MonitorStatusAnswer extends MonitorStatus {
  events: MonitorEvent[]
}

export type MonitorCounts = Record<MonitorState, number>

/** `running`: whether probes can be sent now. */
export interface MonitorSummaryAnswer {
  tunnels: MonitorSnapshot[]
  total: number
  counts: MonitorCounts
  running: boolean
}

/** `samples`: how many stored intervals the point stands for. Times are null where nothing was answered. */
export interface MonitorPoint {
  bucket_start: string
  sent_count: number
  received_count: number
  loss_percent: number | null
  rtt_min_ms: number | null
  rtt_avg_ms: number | null
  rtt_max_ms: number | null
  jitter_ms: number | null
  worst_monitor_state_id: number
  worst_state: MonitorState
  samples: number
}

/** Newest last. `total`: how many points there are in the time asked for, of which the newest are told. */
export interface MonitorHistoryAnswer {
  tunnel_id: number
  points: MonitorPoint[]
  total: number
  resolution_seconds: number
}

export interface MonitorToggleAnswer {
  tunnel_id: number
  monitor_enabled: boolean
  tunnel: TunnelView
}
