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
  route_total: RouteTotalTable
  route_bucket: RouteBucketTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends RouteTables {}
}

export type RouteRuleRow = Selectable<RouteRuleTable>
export type RouteDestinationRow = Selectable<RouteDestinationTable>
export type RouteAllowedSourceRow = Selectable<RouteAllowedSourceTable>
