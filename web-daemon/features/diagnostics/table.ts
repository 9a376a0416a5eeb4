// The diagnostic runs, as Kysely sees them.
import type { Generated } from 'kysely'

/** `params` and `result` are JSON. A run without a `finished_date` is active, or was when the panel was killed. */
export interface DiagnosticRunTable {
  diagnostic_run_id: Generated<number>
  tunnel_id: number
  diagnostic_type_id: number
  params: string
  result: string | null
  is_success: number
  started_date: string
  finished_date: string | null
}

export interface DiagnosticTables {
  diagnostic_run: DiagnosticRunTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends DiagnosticTables {}
}
