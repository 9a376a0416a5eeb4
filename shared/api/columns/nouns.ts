// The columns of what an operator makes in the panel.
import { ADDRESS_FAMILIES, LOAD_BALANCE_MODES, ROUTE_PROTOCOLS, titleOf, TUNNEL_TYPES } from '../base/lookups.ts'
import type { MonitorSummaryAnswer } from '../monitor.ts'
import { routeShown, tunnelShown } from '../states.ts'
import {
  bytes,
  instant,
  listing,
  milliseconds,
  percent,
  rate,
  seconds,
  type Also,
  type AnswerTo,
  type Item,
  type Listings,
} from './listing.ts'

const at = (address: string, port: number, end: number | null = null): string =>
  `${address.includes(':') ? `[${address}]` : address}:${port}${end === null ? '' : `-${end}`}`
const protocol = (id: number): string =>
  id === ROUTE_PROTOCOLS.Both ? 'tcp+udp' : titleOf(ROUTE_PROTOCOLS, id).toLowerCase()
const place = ({
  address,
  hostname,
  port,
  port_range_end,
}: Item<AnswerTo<'GET /routes/{id}/destinations'>, 'destinations'>) => at(hostname ?? address, port, port_range_end)
const watched = (id: number, also: Also): MonitorSummaryAnswer['tunnels'][number] | null =>
  also['GET /monitor/summary']?.tunnels.find(({ tunnel_id }) => tunnel_id === id) ?? null
const reading = (interface_name: string, also: Also) =>
  also['GET /system/metrics']?.network.interfaces.find(({ name }) => name === interface_name)

const TUNNELS = listing(
  'GET /tunnels',
  'tunnels',
  {
    ID: (one) => one.tunnel_id,
    INTERFACE: (one) => one.interface_name,
    ENDS: (one) => `${one.local_endpoint} - ${one.remote_endpoint}`,
    ADDRESS: (one) => one.addresses.map(({ address, prefix_length }) => `${address}/${prefix_length}`),
    STATE: (one, also) => tunnelShown(one, watched(one.tunnel_id, also)).state,
    IN: (one, also) => rate(reading(one.interface_name, also)?.rx_bytes_per_second),
    OUT: (one, also) => rate(reading(one.interface_name, also)?.tx_bytes_per_second),
  },
  {
    NAME: (one) => one.display_name,
    LOSS: (one, also) => percent(watched(one.tunnel_id, also)?.stats.loss_percent),
    RTT: (one, also) => milliseconds(watched(one.tunnel_id, also)?.stats.rtt_avg_ms),
    TYPE: (one) => titleOf(TUNNEL_TYPES, one.tunnel_type_id),
    MTU: (one) => one.mtu,
    WHY: (one, also) => tunnelShown(one, watched(one.tunnel_id, also)).why,
  },
  ['GET /monitor/summary', 'GET /system/metrics'],
)

const ROUTES = listing(
  'GET /routes',
  'routes',
  {
    ID: (one) => one.route_rule_id,
    TITLE: (one) => one.title,
    LISTENER: ({ route }) =>
      `${protocol(route.route_protocol_id)} ${at(route.bind_address, route.bind_port, route.bind_port_range_end)}`,
    DESTINATION: ({ route }) => route.destinations.map(place),
    STATE: (one) => routeShown(one).state,
    IN: (one) => rate(one.rx_bytes_per_second),
    OUT: (one) => rate(one.tx_bytes_per_second),
  },
  {
    CONNECTIONS: (one) => one.active_connections,
    TOTAL: (one) => bytes(one.rx_bytes_since_creation + one.tx_bytes_since_creation),
    BALANCE: ({ route }) => titleOf(LOAD_BALANCE_MODES, route.load_balance_mode_id),
    WHY: (one) => routeShown(one).why,
  },
)

export const NOUNS: Listings = {
  'GET /tunnels': [TUNNELS],
  'GET /tunnels/{id}/addresses': [
    listing('GET /tunnels/{id}/addresses', 'addresses', {
      ID: (one) => one.tunnel_address_id,
      ADDRESS: (one) => `${one.address}/${one.prefix_length}`,
      PEER: (one) => one.peer_address,
      FAMILY: (one) => titleOf(ADDRESS_FAMILIES, one.address_family_id),
      PRIMARY: (one) => one.is_primary,
    }),
  ],
  'GET /tunnels/{id}/routes': [
    listing('GET /tunnels/{id}/routes', 'routes', {
      ID: (one) => one.route_rule_id,
      TITLE: (one) => one.title,
      LISTENER: (one) => `${one.protocol} ${one.bind}`,
      DESTINATION: (one) => one.destination,
      ENABLED: (one) => one.is_enabled,
    }),
  ],
  'GET /routes': [ROUTES],
  'GET /routes/{id}/destinations': [
    listing(
      'GET /routes/{id}/destinations',
      'destinations',
      {
        ID: (one) => one.route_destination_id,
        DESTINATION: place,
        ADDRESS: (one) => one.address,
        STATE: (one) => (one.drained_until === null ? one.state : 'drained'),
        WEIGHT: (one) => one.weight,
        ENABLED: (one) => one.is_enabled,
        BACKUP: (one) => one.is_backup,
      },
      { 'OUT UNTIL': (one) => instant(one.drained_until) },
    ),
  ],
  'GET /routes/{id}/allowed-sources': [
    listing('GET /routes/{id}/allowed-sources', 'allowed_sources', {
      ID: (one) => one.route_allowed_source_id,
      NETWORK: (one) => one.cidr,
      DESCRIPTION: (one) => one.description,
    }),
  ],
  'GET /routes/{id}/connections': [
    listing('GET /routes/{id}/connections', 'connections', {
      PROTOCOL: (one) => one.protocol,
      CLIENT: (one) => at(one.source_address, one.source_port),
      DESTINATION: (one) => at(one.destination_address, one.destination_port),
      STATE: (one) => one.state,
      AGE: (one) => seconds(one.age_seconds),
      IN: (one) => bytes(one.rx_bytes),
      OUT: (one) => bytes(one.tx_bytes),
    }),
  ],
  'GET /networks': [
    listing(
      'GET /networks',
      'networks',
      {
        ID: (one) => one.network_id,
        TITLE: (one) => one.network_title,
        DESTINATION: (one) => one.destination,
        PATHS: (one) => one.paths.map(({ interface_name, state }) => `${interface_name} (${state})`),
        STATE: (one) => (one.is_enabled ? one.severity : 'disabled'),
      },
      { OWN: (one) => one.own_addresses, WHY: (one) => one.detail, NOTE: (one) => one.note },
    ),
  ],
  'GET /pools': [
    listing(
      'GET /pools',
      'pools',
      {
        ID: (one) => one.address_pool_id,
        TITLE: (one) => one.address_pool_title,
        RANGE: (one) => one.cidr,
        SUBNETS: (one) => `/${one.prefix_length}`,
        USED: (one) => `${one.tunnel_count} of ${one.capacity.capacity}`,
        ENABLED: (one) => one.is_enabled,
      },
      { PUBLIC: (one) => one.is_public_range, DESCRIPTION: (one) => one.description },
    ),
  ],
  'GET /webhooks': [
    listing(
      'GET /webhooks',
      'webhooks',
      {
        ID: (one) => one.webhook_id,
        TITLE: (one) => one.title,
        KIND: (one) => one.kind,
        ADDRESS: (one) => one.address,
        ENABLED: (one) => one.is_enabled,
        DELIVERED: (one) => instant(one.delivered_at),
        ERROR: (one) => one.last_error,
      },
      { EVENTS: (one) => one.events },
    ),
  ],
  'GET /webhooks/{id}/deliveries': [
    listing('GET /webhooks/{id}/deliveries', 'deliveries', {
      ID: (one) => one.delivery_id,
      CREATED: (one) => instant(one.created_at),
      KIND: (one) => one.kind,
      STATE: (one) => one.state,
      TRIES: (one) => one.tries,
      TEXT: (one) => one.text,
      ERROR: (one) => one.last_error,
    }),
  ],
}
