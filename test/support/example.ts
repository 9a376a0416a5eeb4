// One tunnel that tests speak of: from 192.0.2.1 to 192.0.2.2, with an address of each family, kept by systemd.
import { canonicalTunnel } from '@panel/shared/tunnel/canonical.ts'
import { networkdParts, type LinkConfig, type Saved, type TunnelState } from '@panel/shared/tunnel/model.ts'

export const exampleConfig: LinkConfig = {
  kind: 'gre',
  local_endpoint: '192.0.2.1',
  remote_endpoint: '192.0.2.2',
  bind_device: null,
  ikey: 4711,
  okey: 4711,
  has_input_checksum: false,
  has_output_checksum: false,
  has_input_sequence: false,
  has_output_sequence: false,
  ttl: 255,
  tos: 'inherit',
  is_path_mtu_discovery: false,
  is_ignore_df: false,
  encap_limit: null,
  flow_label: 0,
  fwmark: null,
  mtu: 1472,
  tx_queue_length: 1000,
  addresses: [
    { address: '172.17.1.1', peer_address: '', prefix_length: 30 },
    { address: '2001:db8:1::1', peer_address: '', prefix_length: 64 },
  ],
}

export const NO_FILES: Saved = {
  systemd_unit: null,
  systemd_keepalive_unit: null,
  networkd_netdev: null,
  networkd_network: null,
}

/** The persistence of the example: by networkd. */
export function byNetworkd(config: LinkConfig, is_enabled = true): Saved {
  const { netdev, network } = networkdParts(config)
  return {
    ...NO_FILES,
    networkd_netdev: { is_enabled, config: netdev },
    networkd_network: { is_enabled, config: network },
  }
}
export const bySystemd = (config: LinkConfig, is_enabled = true): Saved => ({
  ...NO_FILES,
  systemd_unit: { is_enabled, config },
})

export function exampleTunnel(
  fields: Partial<LinkConfig> = {},
  interface_name = 'gre-a-1',
  savedAs: (config: LinkConfig) => Saved = bySystemd,
): TunnelState {
  const config = { ...exampleConfig, ...fields }
  const state = canonicalTunnel({ interface_name, link: { is_up: true, config }, saved: savedAs(config) })
  if (!state) throw new Error('The example is no state')
  return state
}

/** The same link as the far end has it, where both directions have the same key. */
export const mirrored = (near: LinkConfig): LinkConfig => ({
  ...near,
  local_endpoint: near.remote_endpoint,
  remote_endpoint: near.local_endpoint,
})
