// A tunnel as the panel stores it: what the operator wants, and whether it was applied. What the host holds is never
// mixed in.
import { ADDRESS_FAMILIES, kindOfType, PERSISTENCE_TYPES } from '@panel/shared/api/base/lookups.ts'
import type { TunnelRecord } from '@panel/shared/api/tunnels/fields.ts'
import { canonicalConfig, canonicalTunnel } from '@panel/shared/tunnel/canonical.ts'
import { farEnds } from '@panel/shared/tunnel/far-end.ts'
import {
  isIpv6Kind,
  networkdParts,
  type Keepalive,
  type LinkConfig,
  type Saved,
  type TunnelState,
} from '@panel/shared/tunnel/model.ts'

export type { TunnelRecord }
export type AddressRecord = TunnelRecord['addresses'][number]
export type NewAddress = Omit<AddressRecord, 'tunnel_address_id'>
export type NewTunnel = Omit<TunnelRecord, 'tunnel_id' | 'addresses'> & { addresses: NewAddress[] }

/** The part of a tunnel that events carry. */
export const named = ({
  tunnel_id,
  interface_name,
}: TunnelRecord): Pick<TunnelRecord, 'tunnel_id' | 'interface_name'> => ({ tunnel_id, interface_name })

/** What the host should hold for a record, in canonical form. */
export function stateOf(record: NewTunnel): TunnelState {
  const config = canonicalConfig(configOf(record))
  const state = canonicalTunnel({
    interface_name: record.interface_name,
    link: { is_up: record.is_enabled, config },
    saved: savedOf(record, config),
    ...(record.is_answered_through && { answers: { is_whole: true } }),
  })
  if (!state) throw new Error(`${record.interface_name} has no state`)
  return state
}

function savedOf(record: NewTunnel, config: LinkConfig): Saved {
  const { is_enabled, persistence_type_id } = record
  const inSystemd = persistence_type_id === PERSISTENCE_TYPES.Systemd ? { is_enabled, config } : null
  const isInNetworkd = persistence_type_id === PERSISTENCE_TYPES.Networkd
  const { netdev, network } = networkdParts(config)
  const keepalive = keepaliveOf(record)
  return {
    systemd_unit: inSystemd,
    systemd_keepalive_unit: keepalive && { is_enabled, config: keepalive },
    networkd_netdev: isInNetworkd ? { is_enabled, config: netdev } : null,
    networkd_network: isInNetworkd ? { is_enabled, config: network } : null,
  }
}

/** Pings go to the far end of the primary address, or of the first that tells one. */
function keepaliveOf({ keepalive_interval_seconds, keepalive_packet_size, addresses }: NewTunnel): Keepalive | null {
  const [target_address] = farEnds([...addresses].sort((a, b) => Number(b.is_primary) - Number(a.is_primary)))
  if (keepalive_interval_seconds === null || target_address === undefined) return null
  return { target_address, interval_seconds: keepalive_interval_seconds, packet_size: keepalive_packet_size }
}

function configOf(record: NewTunnel): LinkConfig {
  const kind = kindOfType(record.tunnel_type_id)
  const overIpv6 = isIpv6Kind(kind)
  return {
    kind,
    local_endpoint: record.local_endpoint,
    remote_endpoint: record.remote_endpoint,
    bind_device: record.bind_device,
    ikey: record.ikey,
    okey: record.okey,
    has_input_checksum: record.has_input_checksum,
    has_output_checksum: record.has_output_checksum,
    has_input_sequence: record.has_input_sequence,
    has_output_sequence: record.has_output_sequence,
    ttl: overIpv6 ? (record.hop_limit ?? record.ttl) : record.ttl,
    tos: overIpv6 ? (record.traffic_class ?? record.tos) : record.tos,
    is_path_mtu_discovery: record.is_path_mtu_discovery,
    is_ignore_df: record.is_ignore_df,
    encap_limit: record.encap_limit,
    flow_label: record.flow_label,
    fwmark: record.fwmark,
    mtu: record.mtu,
    tx_queue_length: record.tx_queue_length,
    ...(record.is_multicast !== null && { is_multicast: record.is_multicast }),
    addresses: record.addresses.map(({ address, peer_address, prefix_length }) => ({
      address,
      peer_address,
      prefix_length,
    })),
  }
}

export const familyIdOf = (address: string): number =>
  address.includes(':') ? ADDRESS_FAMILIES.IPv6 : ADDRESS_FAMILIES.IPv4
