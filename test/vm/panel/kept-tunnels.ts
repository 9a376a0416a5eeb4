// Tunnels of each kind for each thing that can keep them over a reboot, with many attributes.
export const [SYSTEMD, NETWORKD, RUNTIME] = [10, 20, 30]
export const HERE = '10.0.2.15'
const HERE6 = '2001:db8::1'

export const inside = (number: number) => [
  { address: `172.17.${number}.1`, peer_address: `172.17.${number}.2`, prefix_length: 30 },
  { address: `10.9.${number}.1`, prefix_length: 24 },
  { address: `fd00:${number}::1`, prefix_length: 64 },
]

/** Tunnels by name: each kind with many attributes, as far as its persistence has words for them. */
export const KEPT: Record<string, object> = {
  'sd-gre': {
    local_endpoint: HERE,
    remote_endpoint: '192.0.2.11',
    persistence_type_id: SYSTEMD,
    bind_device: 'eth0',
    ikey: 7,
    okey: 8,
    ttl: 64,
    tos: '0x10',
    mtu: 1400,
    tx_queue_length: 77,
    fwmark: 9,
    has_input_checksum: true,
    has_output_checksum: true,
    has_output_sequence: true,
    is_path_mtu_discovery: true,
    addresses: inside(11),
  },
  'sd-gretap': {
    tunnel_type_id: 20,
    local_endpoint: HERE,
    remote_endpoint: '192.0.2.12',
    persistence_type_id: SYSTEMD,
    is_ignore_df: true,
    ikey: null,
    okey: 5,
    addresses: inside(12),
  },
  'sd-ip6gre': {
    tunnel_type_id: 30,
    local_endpoint: HERE6,
    remote_endpoint: '2001:db8::13',
    persistence_type_id: SYSTEMD,
    hop_limit: 33,
    traffic_class: '0x20',
    encap_limit: 4,
    flow_label: 48879,
    addresses: inside(13),
  },
  'sd-ip6gretap': {
    tunnel_type_id: 40,
    local_endpoint: HERE6,
    remote_endpoint: '2001:db8::14',
    persistence_type_id: SYSTEMD,
    has_input_checksum: true,
    addresses: inside(14),
  },
  'nd-gre': {
    local_endpoint: HERE,
    remote_endpoint: '192.0.2.21',
    persistence_type_id: NETWORKD,
    ikey: 7,
    okey: null,
    ttl: 0,
    tos: 'inherit',
    mtu: 1400,
    has_input_sequence: true,
    has_output_sequence: true,
    is_ignore_df: true,
    addresses: inside(21),
    keepalive_interval_seconds: 2,
  },
  'nd-gretap': {
    tunnel_type_id: 20,
    local_endpoint: HERE,
    remote_endpoint: '192.0.2.22',
    persistence_type_id: NETWORKD,
    ikey: 1,
    okey: 4294967295,
    ttl: 9,
    tos: '0x10',
    is_path_mtu_discovery: true,
    addresses: inside(22),
  },
  'nd-ip6gre': {
    tunnel_type_id: 30,
    local_endpoint: HERE6,
    remote_endpoint: '2001:db8::23',
    persistence_type_id: NETWORKD,
    hop_limit: 33,
    traffic_class: 0,
    flow_label: 48879,
    mtu: 1300,
    addresses: inside(23),
  },
  'nd-ip6gretap': {
    tunnel_type_id: 40,
    local_endpoint: HERE6,
    remote_endpoint: '2001:db8::24',
    persistence_type_id: NETWORKD,
    hop_limit: 0,
    traffic_class: 0,
    encap_limit: 0,
    ikey: null,
    okey: null,
    addresses: inside(24),
  },
}
export const DOWN: Record<string, object> = {
  'sd-down': {
    local_endpoint: HERE,
    remote_endpoint: '192.0.2.31',
    persistence_type_id: SYSTEMD,
    addresses: inside(31),
  },
  'nd-down': {
    local_endpoint: HERE,
    remote_endpoint: '192.0.2.32',
    persistence_type_id: NETWORKD,
    addresses: inside(32),
  },
}
export const LOST = {
  'rt-gre': {
    local_endpoint: HERE,
    remote_endpoint: '192.0.2.41',
    persistence_type_id: RUNTIME,
    addresses: inside(41),
  },
}
