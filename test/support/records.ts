// Tunnels and relay rules for tests: a test says what it is about, and the lists of fields say the rest. A new field is
// given its value here, once.
import { defaultsOf } from '@panel/shared/api/base/field-list.ts'
import {
  ADDRESS_FAMILIES,
  LOAD_BALANCE_MODES,
  NAT_MODES,
  PERSISTENCE_TYPES,
  ROUTE_PROTOCOLS,
  TUNNEL_TYPES,
} from '@panel/shared/api/base/lookups.ts'
import type { CreateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import { STORED_ROUTE_FIELDS } from '@panel/shared/api/routes/fields.ts'
import type { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import { TUNNEL_FIELDS } from '@panel/shared/api/tunnels/fields.ts'
import type { NamedRoute, NewDestination } from '@panel/web-daemon/features/routes/record.ts'
import type { AddressRecord, NewTunnel, TunnelRecord } from '@panel/web-daemon/features/tunnels/record.ts'

/**
 * What POST /tunnels needs at least. eth0 of the fake kernel has the local endpoint, and its default route leads to the
 * remote one.
 */
export const SMALLEST = { local_endpoint: '192.0.2.1', remote_endpoint: '198.51.100.7' } as const
/** What POST /routes needs at least. eth0 of the fake kernel has the bind address. */
export const SMALLEST_RULE = {
  bind_address: '192.0.2.1',
  bind_port: 443,
  destination_address: '10.9.0.2',
  destination_port: 8443,
} as const

export const tunnelRequest = (fields: Partial<CreateTunnelBody> = {}): CreateTunnelBody => ({ ...SMALLEST, ...fields })
export const routeRequest = (fields: Partial<CreateRouteBody> = {}): CreateRouteBody => ({
  ...SMALLEST_RULE,
  ...fields,
})

const WRITTEN = { created_date: '2026-01-01T00:00:00.000Z', updated_date: '2026-01-01T00:00:00.000Z' }

/** A tunnel that a draft makes with default settings. */
export const newTunnel = (fields: Partial<NewTunnel> = {}): NewTunnel => ({
  ...defaultsOf(TUNNEL_FIELDS),
  ...SMALLEST,
  ...WRITTEN,
  tunnel_type_id: TUNNEL_TYPES.GRE,
  interface_name: 'gre-a-1',
  is_name_templated: true,
  tunnel_number: 1,
  mtu: 1472,
  ttl: 255,
  tos: 'inherit',
  ikey: 1,
  okey: 1,
  has_input_checksum: false,
  has_output_checksum: false,
  has_input_sequence: false,
  has_output_sequence: false,
  is_path_mtu_discovery: false,
  persistence_type_id: PERSISTENCE_TYPES.Systemd,
  address_pool_id: null,
  keepalive_interval_seconds: null,
  keepalive_packet_size: 56,
  addresses: [],
  ...fields,
})

export const storedTunnel = (fields: Partial<TunnelRecord> = {}): TunnelRecord => ({
  ...newTunnel(),
  tunnel_id: 1,
  addresses: [],
  ...fields,
})

export const storedAddress = (address: string, fields: Partial<AddressRecord> = {}): AddressRecord => ({
  tunnel_address_id: 1,
  address,
  peer_address: '',
  prefix_length: 30,
  address_family_id: address.includes(':') ? ADDRESS_FAMILIES.IPv6 : ADDRESS_FAMILIES.IPv4,
  is_primary: false,
  sort_order: 0,
  ...fields,
})

/** A destination that a request makes with its address alone. */
export const newDestination = (
  address: string,
  port: number,
  fields: Partial<NewDestination> = {},
): NewDestination => ({
  address,
  hostname: null,
  hostname_policy: null,
  port,
  port_range_end: null,
  weight: 1,
  is_enabled: true,
  is_backup: false,
  drained_until: null,
  state: 'unknown',
  sort_order: 0,
  ...fields,
})

export const namedRoute = (fields: Partial<NamedRoute> = {}): NamedRoute => ({
  ...defaultsOf(STORED_ROUTE_FIELDS),
  ...WRITTEN,
  route_rule_id: 1,
  route_rule_title: 'Rule 1',
  route_protocol_id: ROUTE_PROTOCOLS.TCP,
  address_family_id: ADDRESS_FAMILIES.IPv4,
  bind_address: SMALLEST_RULE.bind_address,
  bind_port: SMALLEST_RULE.bind_port,
  bind_port_range_end: null,
  bind_interface: null,
  destinations: [],
  load_balance_mode_id: LOAD_BALANCE_MODES.None,
  nat_mode_id: NAT_MODES.Masquerade,
  snat_address: null,
  allowed_sources: [],
  is_clamp_mss_to_pmtu: true,
  sort_order: 10,
  ...fields,
})
