// The stored runs of diagnostics, as kysely sees them.
import type { Generated } from 'kysely'

/** `params` and `result` are JSON; a run without a `finished_date` is running, or was when the panel died. */
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
