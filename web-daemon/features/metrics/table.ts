// The traffic totals, one row per interface name, and the history of the host, as Kysely sees them.
import type { HostBucket } from './host-bucket.ts'
import type { TrafficTotal } from './traffic-total.ts'

export interface InterfaceTrafficTable extends TrafficTotal {
  interface_name: string
}

export interface MetricsTables {
  interface_traffic: InterfaceTrafficTable
  host_bucket: HostBucket
}

declare module '../../platform/db/database.ts' {
  interface Database extends MetricsTables {}
}
