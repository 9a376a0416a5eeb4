// The stored tunnels, as kysely sees them: one row per tunnel that ever was, one per address of those that are.
import type { Generated, Insertable, Selectable } from 'kysely'

/** Columns bear the names of the wire (interface.md, Tunnel record; decisions.md, R1). Flags are 0 or 1. */
export interface TunnelTable {
  tunnel_id: Generated<number>
  tunnel_type_id: number
  interface_name: string
  is_name_templated: number
  tunnel_side_id: number
  tunnel_number: number | null
  local_endpoint: string
  remote_endpoint: string
  bind_device: string | null
  mtu: number
  ttl: number
  tos: string
  ikey: number | null
  okey: number | null
  has_input_checksum: number
  has_output_checksum: number
  has_input_sequence: number
  has_output_sequence: number
  is_path_mtu_discovery: number
  is_ignore_df: number
  fwmark: number | null
  tx_queue_length: number
  hop_limit: number | null
  encap_limit: number | null
  traffic_class: string | null
  flow_label: number
  persistence_type_id: number
  address_pool_id: number | null
  is_enabled: number
  is_managed: number
  apply_status_id: number
  last_applied_date: string | null
  last_apply_error: string
  display_name: string
  note: string
  /** A JSON array of strings. */
  tags: string
  is_monitor_enabled: number | null
  monitor_interval_seconds: number | null
  monitor_timeout_seconds: number | null
  monitor_packet_size: number | null
  monitor_window_size: number | null
  monitor_degraded_loss_percent: number | null
  monitor_down_loss_percent: number | null
  monitor_degraded_rtt_ms: number | null
  monitor_state_change_samples: number | null
  monitor_target: string | null
  /** Null: no keepalive. */
  keepalive_interval_seconds: number | null
  keepalive_packet_size: number
  created_date: string
  updated_date: string
  /** Set where the tunnel is no more: the row stays so that its id keeps its meaning (decisions.md, T2). */
  deleted_date: string | null
}

export interface TunnelAddressTable {
  tunnel_address_id: Generated<number>
  tunnel_id: number
  address: string
  peer_address: string
  prefix_length: number
  address_family_id: number
  is_primary: number
  sort_order: number
}

export interface TunnelTables {
  tunnel: TunnelTable
  tunnel_address: TunnelAddressTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends TunnelTables {}
}

export type TunnelRow = Selectable<TunnelTable>
export type NewTunnelRow = Insertable<TunnelTable>
export type TunnelAddressRow = Selectable<TunnelAddressTable>
