// The fields of a tunnel, each with another value, by what the kernel does with them.
export const IN_PLACE = {
  mtu: 1400,
  tx_queue_length: 77,
  is_multicast: true,
  is_enabled: false,
  addresses: [
    { address: '10.9.0.1', peer_address: '10.9.0.2', prefix_length: 30 },
    { address: 'fd00:9::1', prefix_length: 64 },
  ],
  bind_device: 'eth0',
  ttl: 64,
  tos: '0x10',
  is_path_mtu_discovery: true,
  is_ignore_df: true,
  fwmark: 6,
}
export const IN_PLACE_OVER_IPV6 = { hop_limit: 33, traffic_class: '0x20', encap_limit: 4, flow_label: 48879 }
/** The far end has to follow these. */
export const OF_BOTH_ENDS = {
  remote_endpoint: '192.0.2.99',
  local_endpoint: '192.0.2.98',
  ikey: 1,
  okey: null,
  has_input_checksum: true,
  has_output_checksum: true,
  has_input_sequence: true,
  has_output_sequence: true,
}
export const REBORN = { tunnel_type_id: 20, interface_name: 'berlin' }
/** What is stored, or kept on disk, beside the link. */
export const UNTOUCHED = {
  persistence_type_id: 30,
  tunnel_side_id: 20,
  note: 'hello',
  tunnel_number: 9,
  monitor_target: '172.17.1.2',
}
