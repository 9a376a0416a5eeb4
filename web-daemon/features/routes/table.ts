// The stored relay rules, as kysely sees them: one row per rule that ever was, one per destination and allowed source
// of those that are.
import type { RouteColumns } from '@panel/shared/api/routes/fields.ts'
import type { Generated, Selectable } from 'kysely'

/**
 * Columns bear the names of the wire (reference.md, Forwarding (route) rule; decisions.md, F1). A flag is 0 or 1, a
 * list is its JSON text.
 */
export interface RouteRuleTable extends RouteColumns {
  /** The title in small letters: what no two living rules share. */
  title_key: string
  /** Set where the rule is no more: the row stays so that its id keeps its meaning. */
  deleted_date: string | null
}

export interface RouteDestinationTable {
  route_destination_id: Generated<number>
  route_rule_id: number
  address: string
  port: number
  port_range_end: number | null
  weight: number
  is_enabled: number
  sort_order: number
  is_backup: number
  /** The address is then what it was last resolved to. */
  hostname: string | null
  hostname_policy: 'first' | 'all' | null
  /** The end of draining by hand. */
  drained_until: string | null
}

export interface RouteCheckTable {
  route_rule_id: number
  kind: 'tcp' | 'http' | 'icmp'
  port: number | null
  path: string
  host: string
  expect_status: number | null
  interval_ms: number
  timeout_ms: number
  fall: number
  rise: number
  on_all_down: 'keep' | 'refuse'
  connections_of_down: 'auto' | 'end' | 'keep'
  is_enabled: number
}

/** What the checks of a destination came to; one that was never decided has none. */
export interface RouteDestinationStateTable {
  route_destination_id: number
  state: 'unknown' | 'up' | 'down'
  /** A message as JSON. */
  reason: string
  since: string
  /** Within the time in which they count. */
  flips: number
}

export interface RouteDestinationEventTable {
  event_id: Generated<number>
  route_rule_id: number
  route_destination_id: number
  from_state: string
  to_state: string
  /** A message as JSON. */
  reason: string
  created_date: string
}

export interface RouteAllowedSourceTable {
  route_allowed_source_id: Generated<number>
  route_rule_id: number
  cidr: string
  description: string
  sort_order: number
}

/** What the panel has summed up of a rule, and the kernel's counter as it was when that was done. */
export interface RouteTotalTable {
  route_rule_id: number
  rx_bytes: number
  tx_bytes: number
  rx_packets: number
  tx_packets: number
  seen_rx_bytes: number
  seen_tx_bytes: number
  seen_rx_packets: number
  seen_tx_packets: number
  seen_epoch: string
  /** The same of the fast path, which has no counter. */
  fast_rx_bytes: number
  fast_tx_bytes: number
  fast_rx_packets: number
  fast_tx_packets: number
  fast_epoch: string
  twice_rx_bytes: number
  twice_tx_bytes: number
  twice_rx_packets: number
  twice_tx_packets: number
  updated_date: string
}

/** What moved within one interval, which begins at `bucket_start` (seconds since 1970). */
export interface RouteBucketTable {
  route_rule_id: number
  bucket_start: number
  rx_bytes: number
  tx_bytes: number
  rx_packets: number
  tx_packets: number
  /** The most at one look within the interval; null where nobody could look. */
  active_connections: number | null
  /** Null where a part of them is not known. */
  new_connections: number | null
}

/** A route through a tunnel that leads to a destination of a rule. */
export interface TunnelRouteTable {
  tunnel_id: number
  destination: string
}

export interface RouteTables {
  tunnel_route: TunnelRouteTable
  route_rule: RouteRuleTable
  route_destination: RouteDestinationTable
  route_allowed_source: RouteAllowedSourceTable
  route_check: RouteCheckTable
  route_destination_state: RouteDestinationStateTable
  route_destination_event: RouteDestinationEventTable
  route_total: RouteTotalTable
  route_bucket: RouteBucketTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends RouteTables {}
}

export type RouteRuleRow = Selectable<RouteRuleTable>
export type RouteDestinationRow = Selectable<RouteDestinationTable>
export type RouteCheckRow = Selectable<RouteCheckTable>
export type RouteAllowedSourceRow = Selectable<RouteAllowedSourceTable>
