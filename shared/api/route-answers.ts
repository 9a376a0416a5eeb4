// What the API answers about relay rules, for the web daemon that says it and the page that shows it (interface.md, Forwarding rules; decisions.md, F1 to F29, S7, R29).
import type { Warning } from './errors.ts'
import type { ApplyStatus } from './lookups.ts'
import type { CreateRouteBody } from './routes.ts'
import type { CheckView, StepView } from './tunnel-answers.ts'

export interface DestinationView {
  route_destination_id: number
  address: string
  port: number
  port_range_end: number | null
  weight: number
  is_enabled: boolean
  sort_order: number
}

export interface AllowedSourceView {
  route_allowed_source_id: number
  cidr: string
  description: string
}

/** `destination_address`, `destination_port` and `destination_port_range_end` are those of the first of `destinations`. */
export interface RouteView {
  route_rule_id: number
  route_rule_title: string
  description: string
  route_protocol_id: number
  address_family_id: number
  bind_address: string
  bind_port: number
  bind_port_range_end: number | null
  bind_interface: string | null
  destination_address: string
  destination_port: number
  destination_port_range_end: number | null
  destinations: DestinationView[]
  load_balance_mode_id: number
  nat_mode_id: number
  snat_address: string | null
  allowed_sources: AllowedSourceView[]
  is_enabled: boolean
  is_clamp_mss_to_pmtu: boolean
  is_include_local_originated: boolean
  is_logging_enabled: boolean
  fwmark: number | null
  max_connections_per_source: number | null
  connection_rate_limit: number | null
  tunnel_id: number | null
  sort_order: number
  tags: string[]
  apply_status_id: number
  apply_status: ApplyStatus
  last_applied_date: string | null
  last_apply_error: string
  created_date: string
  updated_date: string
}

export type RouteHealthState = 'healthy' | 'disabled' | 'pending' | 'impaired' | 'failed' | 'inconsistent'

/** `installed` null: the kernel's ruleset cannot be read. `tunnel` null: the rule names none, or one that is no more. */
export interface RouteHealthView {
  state: RouteHealthState
  detail: string
  route_rule_id: number
  installed: boolean | null
  tunnel: { tunnel_id: number; interface_name: string; is_up: boolean; oper_state: string } | null
}

/**
 * Two figures of the same bytes, never added together: `_since_boot` is the kernel's own counter, `_since_creation` what the panel has summed up.
 * `tx` is towards the destination, `rx` back from it. Null is not known: rates need two samples, connections need connection tracking, new ones two looks at it.
 */
export interface TrafficView {
  route_rule_id: number
  title: string
  at: string | null
  interval_seconds: number | null
  rx_bytes_per_second: number | null
  tx_bytes_per_second: number | null
  rx_packets_per_second: number | null
  tx_packets_per_second: number | null
  rx_bytes_since_boot: number
  tx_bytes_since_boot: number
  rx_packets_since_boot: number
  tx_packets_since_boot: number
  rx_bytes_since_creation: number
  tx_bytes_since_creation: number
  rx_packets_since_creation: number
  tx_packets_since_creation: number
  active_connections: number | null
  new_connections_per_second: number | null
  /** Whether the kernel's counter had been made anew when it was last read. */
  reset_detected: boolean
}

export interface RouteItem extends TrafficView {
  route: RouteView
  health: RouteHealthView
}

export interface ListRoutesAnswer {
  routes: RouteItem[]
  total: number
  limit: number
  offset: number
  note: string
}

export interface RoutePlanView {
  operation: 'none' | 'create' | 'update' | 'delete'
  route_rule_id: number | null
  /** The rules that the change concerns; a rule that does not exist yet has no id and is not among them. */
  affected_route_rule_ids: number[]
  steps: StepView[]
  rollback: StepView[]
  files: { kind: string; path: string; content: string }[]
  verification: { name: string; expected: string }[]
  requires_recreate: false
  recreate_reasons: string[]
  warnings: Warning[]
}

/** `rule_count`: the rules that the kernel holds now; null where it could not be asked. */
export interface RouteVerificationView {
  ok: boolean
  checks: CheckView[]
  failures: CheckView[]
  backend: string
  rule_count: number | null
}

export interface ChangeRouteAnswer {
  route: RouteView
  plan: RoutePlanView
  verification: RouteVerificationView
  warnings: Warning[]
}

/** `connections_dropped` null: nobody asked for it, or it did not work, of which a warning tells. */
export interface UpdateRouteAnswer extends ChangeRouteAnswer {
  connections_dropped: number | null
}

export interface RouteActionAnswer extends UpdateRouteAnswer {
  action: 'enable' | 'disable' | 'reapply'
}

/** `resolved` is the request with everything decided; posted to /routes it makes exactly what the payload shows. */
export interface PreviewRouteAnswer {
  payload: string
  plan: RoutePlanView
  resolved: CreateRouteBody
  warnings: Warning[]
  note: string
}

export interface DeleteRouteAnswer {
  route_rule_id: number
  title: string
  plan: RoutePlanView
  verification: RouteVerificationView
  connections_dropped: number | null
  forwarding_can_be_reverted: boolean
  warnings: Warning[]
  note: string
}

export interface DuplicateRouteAnswer {
  route: RouteView
  note: string
}

export interface ReorderAnswer {
  action: 'reorder'
  routes: RouteView[]
  note: string
}

export interface ApplyAllAnswer {
  action: 'apply_all'
  rules_applied: number
  verification: RouteVerificationView
  note: string
}

export interface DestinationsAnswer {
  destinations: DestinationView[]
  total: number
}

export interface AllowedSourcesAnswer {
  allowed_sources: AllowedSourceView[]
  total: number
  note: string
}

export interface TrafficPoint {
  at: string
  rx_bytes_per_second: number
  tx_bytes_per_second: number
}

/** `points` are of the last minutes, oldest first; `sampled` is whether the kernel's counter could be read just now. */
export interface RouteTrafficAnswer {
  route_rule_id: number
  title: string
  traffic: TrafficView
  sampled: boolean
  points: TrafficPoint[]
  note: string
}

/** What moved within one interval: the most connections at one look, and those that began. Both are null where that is not known. */
export interface TrafficBucket {
  bucket_start_date: string
  rx_bytes: number
  tx_bytes: number
  rx_packets: number
  tx_packets: number
  active_connections: number | null
  new_connections: number | null
}

export interface TrafficHistoryAnswer {
  route_rule_id: number
  samples: TrafficBucket[]
  total: number
  interval_seconds: number
  since: string
  note: string
}

export interface TrafficSummaryAnswer {
  summary: {
    routes: number
    rx_bytes_per_second: number | null
    tx_bytes_per_second: number | null
    rx_bytes_since_creation: number
    tx_bytes_since_creation: number
    active_connections: number | null
    at: string | null
  }
  routes: TrafficView[]
  note: string
}

/** `hit`: whether a packet has ever been counted for the rule, as far as kernel and panel remember. */
export interface RouteCountersAnswer {
  route_rule_id: number
  available: boolean
  rx_bytes_since_boot: number
  tx_bytes_since_boot: number
  rx_packets_since_boot: number
  tx_packets_since_boot: number
  rx_bytes_since_creation: number
  tx_bytes_since_creation: number
  hit: boolean
  source: string
  note: string
  checked_at: string
}
