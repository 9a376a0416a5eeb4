// The audit log as a table: every entry that the filters leave, however many pages they are.
import type { AuditEntry } from '@panel/shared/api/audit/answers.ts'
import { call } from '../../core/api.ts'
import { saveCsv, together, type Fields } from '../../core/save-csv.ts'
import { auditQuery } from './labels.ts'

const AT_ONCE = 1000

const ENTRY: Fields<AuditEntry> = {
  audit_log_id: ({ audit_log_id }) => audit_log_id,
  created_date: ({ created_date }) => created_date,
  action: ({ action }) => action,
  is_success: ({ is_success }) => is_success,
  error_message: ({ error_message }) => error_message,
  target_type: ({ target_type }) => target_type,
  target_id: ({ target_id }) => target_id,
  target_name: ({ target_name }) => target_name,
  username: ({ username }) => username,
  client_ip: ({ client_ip }) => client_ip,
  request_id: ({ request_id }) => request_id,
  duration_ms: ({ duration_ms }) => duration_ms,
  operations: ({ operations }) => together(operations),
  request: ({ request }) => JSON.stringify(request),
}

export async function saveEntries(search: URLSearchParams): Promise<void> {
  const entries = new Map<number, AuditEntry>()
  // An entry that comes meanwhile moves the others on, so that the next page begins with some of the last one.
  for (let offset = 0, total = 1; offset < total; offset += AT_ONCE) {
    const page = await call('GET /audit', { query: { ...auditQuery(search), limit: AT_ONCE, offset } })
    for (const entry of page.entries) entries.set(entry.audit_log_id, entry)
    total = page.total
  }
  saveCsv('audit-log', [...entries.values()], ENTRY)
}
