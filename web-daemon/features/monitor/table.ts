// The changes of state and the history, as Kysely sees them.
import type { Generated, Selectable } from 'kysely'
import type { Bucket, TIMES } from './bucket.ts'

export interface MonitorEventTable {
  monitor_event_id: Generated<number>
  tunnel_id: number
  from_monitor_state_id: number
  to_monitor_state_id: number
  reason: string
  /** JSON of a Message. */
  reason_message: string
  loss_percent: number | null
  rtt_avg_ms: number | null
  created_date: string
}

/** How the tunnel was in a tick of that length; `tick_start` in seconds since 1970. */
export interface MonitorTickTable extends Pick<Bucket, 'tunnel_id' | 'worst_severity' | (typeof TIMES)[number]> {
  tick_seconds: number
  tick_start: number
}

export interface MonitorTables {
  monitor_event: MonitorEventTable
  monitor_bucket: Bucket
  monitor_tick: MonitorTickTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends MonitorTables {}
}

export type MonitorEventRow = Selectable<MonitorEventTable>
