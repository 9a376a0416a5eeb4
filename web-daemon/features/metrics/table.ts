// The stored sums of traffic, as kysely sees them: one row per name that an interface ever had.
import type { Tally } from './traffic.ts'

export interface InterfaceTrafficTable extends Tally {
  interface_name: string
}

export interface MetricsTables {
  interface_traffic: InterfaceTrafficTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends MetricsTables {}
}
