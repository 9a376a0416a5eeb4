// A thousand tunnels that the panel could have made: between the same two ends, told apart by key, name and subnet.
import { APPLY_STATUSES, PERSISTENCE_TYPES } from '@panel/shared/api/lookups.ts'
import type { NewTunnel } from '@panel/web-daemon/features/tunnels/record.ts'
import type { Ends } from './jobs.ts'

const NO_OVERRIDES = {
  is_monitor_enabled: null,
  monitor_interval_seconds: null,
  monitor_timeout_seconds: null,
  monitor_packet_size: null,
  monitor_window_size: null,
  monitor_degraded_loss_percent: null,
  monitor_down_loss_percent: null,
  monitor_degraded_rtt_ms: null,
  monitor_state_change_samples: null,
  monitor_target: null,
  keepalive_interval_seconds: null,
  keepalive_packet_size: 56,
}

export const nameOf = (number: number): string => `gre-a-${number}`

/** The first host of the subnet of a tunnel's number: as many /30 in a row as are asked for. */
export const addressOf = (number: number): string => `10.64.${number >> 6}.${(number & 63) * 4 + 1}`

/** The other host of that subnet, whom the tunnel's probes are for. */
export const peerOf = (number: number): string => `10.64.${number >> 6}.${(number & 63) * 4 + 2}`

export const NUMBERS = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1)

/** The record of tunnel `number`, from 1 up, kept by nothing but the running kernel. */
export function tunnelOf(number: number, ends: Ends, now = new Date().toISOString()): NewTunnel {
  return {
    ...ends,
    ...NO_OVERRIDES,
    ...{
      tunnel_type_id: 10,
      interface_name: nameOf(number),
      is_name_templated: true,
      tunnel_side_id: 10,
      tunnel_number: number,
    },
    ...{
      bind_device: null,
      mtu: 1472,
      ttl: 255,
      tos: 'inherit',
      ikey: number,
      okey: number,
      fwmark: null,
      tx_queue_length: 1000,
    },
    ...{ has_input_checksum: false, has_output_checksum: false, has_input_sequence: false, has_output_sequence: false },
    ...{
      is_path_mtu_discovery: false,
      is_ignore_df: false,
      hop_limit: null,
      encap_limit: null,
      traffic_class: null,
      flow_label: 0,
    },
    ...{ persistence_type_id: PERSISTENCE_TYPES.Runtime, address_pool_id: null, is_enabled: true, is_managed: true },
    ...{
      apply_status_id: APPLY_STATUSES.Applied,
      last_applied_date: now,
      last_apply_error: '',
      created_date: now,
      updated_date: now,
    },
    ...{ display_name: `Tunnel number ${number}`, note: '', tags: ['bench'] },
    addresses: [
      {
        address: addressOf(number),
        peer_address: '',
        prefix_length: 30,
        address_family_id: 10,
        is_primary: true,
        sort_order: 0,
      },
    ],
  }
}
