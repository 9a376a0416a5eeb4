// The table of incidents as SQLite holds it; `reason`, `route_rule_ids`, `affected` and `host_changes` are JSON.
import type { Generated } from 'kysely'

export interface IncidentTable {
  incident_id: Generated<number>
  kind: string
  /** Null of what is known by its name. */
  subject_id: number | null
  subject_name: string
  /** The worst that it was in. */
  state: string
  began_date: string
  ended_date: string | null
  reason: string
  /** All rules that it takes down. */
  route_rule_ids: string
  /** The first of them, with their titles. */
  affected: string
  affected_connections: number | null
  host_changes: string
  acknowledged_date: string | null
  acknowledged_by: Generated<string>
  silenced_until: string | null
  silenced_by: Generated<string>
}

export interface IncidentTables {
  incident: IncidentTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends IncidentTables {}
}
