// The traffic totals, as Kysely sees them: one row per interface name.
import type { TrafficTotal } from './traffic-total.ts'

export interface InterfaceTrafficTable extends TrafficTotal {
  interface_name: string
}

export interface MetricsTables {
  interface_traffic: InterfaceTrafficTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends MetricsTables {}
}
