// Reads and writes the stored runs; the newest of each tunnel are kept (decisions.md, D10).
import { DIAGNOSTIC_TYPES, type DiagnosticRun, type DiagnosticType } from '@panel/shared/api/diagnostics.ts'
import { titleOf } from '@panel/shared/api/base/lookups.ts'
import { message, messageFields } from '@panel/shared/messages/message.ts'
import type { Selectable } from 'kysely'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import type { Paging } from '../../platform/http/paging.ts'
import type { DiagnosticRunTable } from './table.ts'
import { fromStoredJson } from '../../platform/db/stored-json.ts'

export const RUNS_KEPT = 200

export type NewRun = Pick<DiagnosticRun, 'tunnel_id' | 'type' | 'params' | 'started_date'>
export type RunEnd = Pick<DiagnosticRun, 'is_success'> & {
  readonly result: Record<string, unknown>
  readonly finished_date: string
}

export interface RunFilter {
  readonly tunnel_id?: number
  readonly diagnostic_type_id?: number
}

/** Returns the new id. */
export async function insertRun(db: WriteDb, { type, params, ...run }: NewRun): Promise<number> {
  const row = {
    ...run,
    diagnostic_type_id: DIAGNOSTIC_TYPES[type],
    params: JSON.stringify(params),
    result: null,
    is_success: 0,
    finished_date: null,
  }
  const { insertId } = await db.insertInto('diagnostic_run').values(row).executeTakeFirstOrThrow()
  return Number(insertId)
}

export async function endRun(
  db: WriteDb,
  diagnostic_run_id: number,
  { result, is_success, finished_date }: RunEnd,
): Promise<void> {
  const row = { result: JSON.stringify(result), is_success: Number(is_success), finished_date }
  await db.updateTable('diagnostic_run').set(row).where('diagnostic_run_id', '=', diagnostic_run_id).execute()
}

export async function deleteRun(db: WriteDb, diagnostic_run_id: number): Promise<void> {
  await db.deleteFrom('diagnostic_run').where('diagnostic_run_id', '=', diagnostic_run_id).execute()
}

/** Keeps the newest RUNS_KEPT of the tunnel. */
export async function deleteOldRuns(db: WriteDb, tunnel_id: number): Promise<void> {
  const of = db.selectFrom('diagnostic_run').select('diagnostic_run_id').where('tunnel_id', '=', tunnel_id)
  const oldest = of
    .orderBy('diagnostic_run_id', 'desc')
    .offset(RUNS_KEPT - 1)
    .limit(1)
  await db
    .deleteFrom('diagnostic_run')
    .where('tunnel_id', '=', tunnel_id)
    .where('diagnostic_run_id', '<', oldest)
    .execute()
}

/** Ends the runs that were open when a panel was killed. */
export async function endInterruptedRuns(db: WriteDb, finished_date: string): Promise<void> {
  const result = JSON.stringify({ cancelled: true, ...messageFields('detail', message('diagnostics.panel_ended')) })
  await db.updateTable('diagnostic_run').set({ result, finished_date }).where('finished_date', 'is', null).execute()
}

export async function findRun(db: ReadDb, diagnostic_run_id: number): Promise<DiagnosticRun | null> {
  const row = await db
    .selectFrom('diagnostic_run')
    .selectAll()
    .where('diagnostic_run_id', '=', diagnostic_run_id)
    .executeTakeFirst()
  return row ? toRun(row) : null
}

/** The newest first. */
export async function findRuns(
  db: ReadDb,
  filter: RunFilter,
  { limit, offset }: Paging,
): Promise<{ runs: DiagnosticRun[]; total: number }> {
  const { total } = await filtered(db, filter)
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await filtered(db, filter)
    .selectAll()
    .orderBy('diagnostic_run_id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { runs: rows.map(toRun), total }
}

const filtered = (db: ReadDb, filter: RunFilter) => {
  let query = db.selectFrom('diagnostic_run')
  for (const [column, value] of Object.entries(filter)) query = query.where(column as keyof RunFilter, '=', value)
  return query
}

const toRun = (row: Selectable<DiagnosticRunTable>): DiagnosticRun => ({
  diagnostic_run_id: row.diagnostic_run_id,
  tunnel_id: row.tunnel_id,
  diagnostic_type_id: row.diagnostic_type_id,
  type: titleOf<DiagnosticType>(DIAGNOSTIC_TYPES, row.diagnostic_type_id),
  params: fromStoredJson(row.params) as Record<string, unknown>,
  result: row.result === null ? null : (fromStoredJson(row.result) as Record<string, unknown>),
  started_date: row.started_date,
  finished_date: row.finished_date,
  is_success: row.is_success === 1,
  running: row.finished_date === null,
})
