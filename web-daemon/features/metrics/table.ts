// The stored sums of traffic, as kysely sees them: one row per name that an interface ever had.
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
