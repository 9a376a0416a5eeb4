// The audit table as SQLite holds it; `request` and `operations` are JSON.
import type { Generated } from 'kysely'

export interface AuditLogTable {
  audit_log_id: Generated<number>
  audit_action_id: number
  user_id: number | null
  username: string
  /** The session of the request, if it had one. */
  session_id: number | null
  target_type: string
  target_id: number | null
  request: string
  operations: string
  is_success: number
  error_message: string
  /** JSON of a Message. */
  error_reason: string
  duration_ms: number
  client_ip: string
  request_id: string
  created_date: string
}

export interface AuditTables {
  audit_log: AuditLogTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends AuditTables {}
}
