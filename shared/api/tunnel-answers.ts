// What the API answers about tunnels, for the web daemon that says it and the page that shows it (interface.md, Tunnels; decisions.md, R1-R3, R13, R17-R23).
import type { Warning } from './errors.ts'
import type { DependentRoute } from './dependent-routes.ts'
import type { ApplyStatus } from './lookups.ts'
import type { CreateTunnelBody } from './tunnels.ts'
import type { FileKind } from '../model/tunnel.ts'

export interface AddressView {
  tunnel_address_id: number
  address: string
  peer_address: string
  prefix_length: number
  address_family_id: number
  is_primary: boolean
  sort_order: number
}

/**
 * The live side of a tunnel, never mixed with what is stored. While the helper is away nothing is known: `is_known` is false and
 * `detail` says why; `exists` is then false for want of a better word. Numbers are null and texts "" where there is no link.
 */
export interface ObservedView {
  exists: boolean
  is_known: boolean
  detail: string
  oper_state: string
  kind: string
  index: number | null
  mtu: number | null
  is_up: boolean
  is_lower_up: boolean
  flags: string[]
  local_endpoint: string
  remote_endpoint: string
  addresses: string[]
}

export interface TunnelView {
  tunnel_id: number
  interface_name: string
  is_name_templated: boolean
  tunnel_type_id: number
  tunnel_side_id: number
  tunnel_number: number | null
  local_endpoint: string
  remote_endpoint: string
  bind_device: string | null
  mtu: number
  ttl: number
  hop_limit: number | null
  tos: string
  traffic_class: string | null
  ikey: number | null
  okey: number | null
  has_input_checksum: boolean
  has_output_checksum: boolean
  has_input_sequence: boolean
  has_output_sequence: boolean
  is_path_mtu_discovery: boolean
  is_ignore_df: boolean
  encap_limit: number | null
  flow_label: number
  fwmark: number | null
  tx_queue_length: number
  persistence_type_id: number
  is_enabled: boolean
  is_managed: boolean
  address_pool_id: number | null
  addresses: AddressView[]
  display_name: string
  note: string
  tags: string[]
  is_monitor_enabled: boolean | null
  monitor_interval_seconds: number | null
  monitor_timeout_seconds: number | null
  monitor_packet_size: number | null
  monitor_window_size: number | null
  monitor_degraded_loss_percent: number | null
  monitor_down_loss_percent: number | null
  monitor_degraded_rtt_ms: number | null
  monitor_state_change_samples: number | null
  monitor_target: string | null
  keepalive_interval_seconds: number | null
  keepalive_packet_size: number
  apply_status_id: number
  apply_status: ApplyStatus
  last_applied_date: string | null
  last_apply_error: string
  created_date: string
  updated_date: string
  observed: ObservedView
}

export interface StepView {
  kind: string
  description: string
  argv?: string[]
  path?: string
}

export interface PlanView {
  operation: string
  interface: string
  tunnel_id: number | null
  steps: StepView[]
  /** What would be done if a step or a check fails after all steps were taken. */
  rollback: StepView[]
  files: { kind: FileKind; path: string; content: string }[]
  /** What is read back afterwards, and what it must be. */
  verification: { name: string; expected: string }[]
  requires_recreate: boolean
  recreate_reasons: string[]
  warnings: Warning[]
}

export interface CheckView {
  name: string
  ok: boolean
  fatal: boolean
  skipped: boolean
  expected: string
  actual: string
  detail: string
}

export interface VerificationView {
  ok: boolean
  checks: CheckView[]
  failures: CheckView[]
  oper_state: string
}

export interface MtuAdvice {
  requested: number | null
  overhead: number
  underlay_mtu: number | null
  underlay_device: string | null
  recommended: number
  matches: boolean
  breakdown: { name: string; bytes: number }[]
}

export interface CreateTunnelAnswer {
  tunnel: TunnelView
  plan: PlanView
  verification: VerificationView
  warnings: Warning[]
}

export type UpdateTunnelAnswer = CreateTunnelAnswer

export interface TunnelActionAnswer extends CreateTunnelAnswer {
  action: 'up' | 'down' | 'restart' | 'reapply'
}

/** `observed` are the CIDR strings that the link shows, link-local ones included; empty where nothing is known. */
export interface AddressesAnswer {
  addresses: AddressView[]
  observed: string[]
}

export type ChangeAddressesAnswer = UpdateTunnelAnswer & AddressesAnswer

/** `resolved` is the request with everything decided; posted to /tunnels it makes exactly what the plan shows. */
export interface PreviewTunnelAnswer {
  plan: PlanView
  mtu: MtuAdvice
  resolved: CreateTunnelBody
  warnings: Warning[]
}

export interface ListTunnelsAnswer {
  tunnels: TunnelView[]
  total: number
  limit: number
  offset: number
}

/** `files_kept` are files in the place of ours that the panel did not write, or that somebody edited since: left alone. */
export interface DeleteTunnelAnswer {
  tunnel_id: number
  interface: string
  interface_found: boolean
  already_deleted: boolean
  files_removed: string[]
  files_absent: string[]
  files_kept: string[]
  plan: PlanView
  warnings: Warning[]
  /** The relay rules that used the tunnel: they stay, and their path is gone. */
  dependent_routes: DependentRoute[]
}
