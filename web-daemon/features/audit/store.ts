// Writes and reads the audit log.
import { sql, type Insertable, type Kysely, type Selectable } from 'kysely'
import { AUDIT_ACTIONS } from '@panel/shared/api/audit/actions.ts'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import { holds } from '../../platform/db/search.ts'
import type { Paging } from '../../platform/http/paging.ts'
import type { AuditLogTable } from './table.ts'

/** Null: the target has no name, or is no more. */
export type AuditRow = Selectable<AuditLogTable> & { readonly target_name: string | null }

export interface AuditFilter {
  readonly search?: string
  readonly audit_action_id?: number
  readonly user_id?: number
  readonly target_type?: string
  readonly target_id?: number
  readonly is_success?: number
  /** Both included. */
  readonly from?: string
  readonly to?: string
}

export type NewEntry = Insertable<AuditLogTable>

/** Returns its id. */
export async function insertEntry(db: WriteDb, entry: NewEntry): Promise<number> {
  const { insertId } = await db.insertInto('audit_log').values(entry).executeTakeFirstOrThrow()
  return Number(insertId)
}

export async function updateEntry(db: WriteDb, audit_log_id: number, entry: NewEntry): Promise<void> {
  await db.updateTable('audit_log').set(entry).where('audit_log_id', '=', audit_log_id).execute()
}

/** The present name of the target. */
const TARGET_NAME = sql<string | null>`case target_type
  when 'tunnel' then (select interface_name from tunnel where tunnel_id = target_id and deleted_date is null)
  when 'route' then (select route_rule_title from route_rule where route_rule_id = target_id and deleted_date is null)
  when 'address_pool' then (select address_pool_title from address_pool where address_pool_id = target_id)
  when 'network' then (select network_title from network where network_id = target_id and deleted_date is null)
end`
const SEARCHED = ['username', 'client_ip', 'request', 'operations', 'error_message', 'request_id', TARGET_NAME] as const

export async function findEntries(
  db: ReadDb,
  filter: AuditFilter,
  { limit, offset }: Paging,
): Promise<{ rows: AuditRow[]; total: number }> {
  const { total } = await filtered(db, filter)
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await filtered(db, filter)
    .selectAll()
    .select(TARGET_NAME.as('target_name'))
    .orderBy('audit_log_id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total }
}

/** When sign-ins failed, the latest last. The question for a second factor is no failure. */
export async function signInsFailedSince(db: ReadDb, since: string): Promise<string[]> {
  const rows = await db
    .selectFrom('audit_log')
    .select('created_date')
    .where('created_date', '>', since)
    .where('audit_action_id', '=', AUDIT_ACTIONS.LoginFailed)
    .where('error_message', 'not like', 'SECOND_FACTOR_REQUIRED:%')
    .orderBy('audit_log_id')
    .execute()
  return rows.map(({ created_date }) => created_date)
}

/** Deletes the oldest, at most `count`. Returns how many were deleted. */
export async function deleteSomeBefore(db: Kysely<Database>, instant: string, count: number): Promise<number> {
  const oldest = db
    .selectFrom('audit_log')
    .select('audit_log_id')
    .where('created_date', '<', instant)
    .orderBy('created_date')
    .limit(count)
  const { numDeletedRows } = await db
    .deleteFrom('audit_log')
    .where('audit_log_id', 'in', oldest)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

const filtered = (db: ReadDb, { search, from, to, ...equal }: AuditFilter) => {
  let found = db.selectFrom('audit_log')
  for (const [column, value] of Object.entries(equal)) found = found.where(column as keyof typeof equal, '=', value)
  if (search !== undefined) found = found.where((e) => e.or(SEARCHED.map((text) => holds(text, search))))
  if (from !== undefined) found = found.where('created_date', '>=', from)
  return to === undefined ? found : found.where('created_date', '<=', to)
}
