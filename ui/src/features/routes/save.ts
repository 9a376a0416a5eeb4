// Relay rules and their connections as tables.
import type { RouteItem } from '@panel/shared/api/routes/answers.ts'
import type { ConnectionsAnswer } from '@panel/shared/api/routes/connections.ts'
import { saveCsv, together, type Fields } from '../../core/save-csv.ts'
import { formatDestinations, protocolName } from './formats.ts'
import { healthWord } from './rule-health.ts'

const RULE: Fields<RouteItem> = {
  route_rule_id: ({ route_rule_id }) => route_rule_id,
  route_rule_title: ({ route }) => route.route_rule_title,
  description: ({ route }) => route.description,
  tags: ({ route }) => together(route.tags),
  is_enabled: ({ route }) => route.is_enabled,
  state: ({ health }) => healthWord(health),
  detail: ({ health }) => health.detail,
  protocol: ({ route }) => protocolName(route),
  bind_address: ({ route }) => route.bind_address,
  bind_port: ({ route }) => route.bind_port,
  bind_port_range_end: ({ route }) => route.bind_port_range_end,
  bind_interface: ({ route }) => route.bind_interface,
  destinations: ({ route }) => together(formatDestinations(route)),
  tunnel: ({ health }) => health.tunnel?.interface_name ?? null,
  active_connections: ({ active_connections }) => active_connections,
  rx_bytes_since_creation: ({ rx_bytes_since_creation }) => rx_bytes_since_creation,
  tx_bytes_since_creation: ({ tx_bytes_since_creation }) => tx_bytes_since_creation,
}

export const saveRules = (rules: readonly RouteItem[]): void => saveCsv('relay-rules', rules, RULE)

type Connection = ConnectionsAnswer['connections'][number]

const CONNECTION: Fields<Connection> = {
  protocol: ({ protocol }) => protocol,
  state: ({ state }) => state,
  source_address: ({ source_address }) => source_address,
  source_port: ({ source_port }) => source_port,
  bind_address: ({ bind_address }) => bind_address,
  bind_port: ({ bind_port }) => bind_port,
  destination_address: ({ destination_address }) => destination_address,
  destination_port: ({ destination_port }) => destination_port,
  age_seconds: ({ age_seconds }) => age_seconds,
  tx_bytes: ({ tx_bytes }) => tx_bytes,
  rx_bytes: ({ rx_bytes }) => rx_bytes,
}

export const saveConnections = (connections: readonly Connection[]): void =>
  saveCsv('connections', connections, CONNECTION)
