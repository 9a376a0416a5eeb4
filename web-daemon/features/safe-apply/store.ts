// The windows as the store knows them.
import type { SafeApplyEnded, SafeApplyItem } from '@panel/shared/api/safe-apply.ts'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { rememberAll } from './store-followed.ts'
import type { SafeApplyRow } from './table.ts'
import { fromStoredJson } from '../../platform/db/stored-json.ts'

export interface Opener {
  readonly user_id: number | null
  readonly username: string
}

export const findOpen = async (db: ReadDb): Promise<SafeApplyRow | null> =>
  (await db.selectFrom('safe_apply').selectAll().where('ended_how', 'is', null).executeTakeFirst()) ?? null

/** Stores an open window with what the followed tables hold now. Call it in a transaction. */
export async function insertOpen(
  db: WriteDb,
  window_id: string,
  by: Opener,
  opened_date: string,
  isWhole = false,
): Promise<void> {
  await db
    .insertInto('safe_apply')
    .values({ window_id, opened_date, ...by, ended_date: null, ended_how: null, is_whole: Number(isWhole) })
    .execute()
  await rememberAll(db)
}

export const markWhole = async (db: WriteDb, window_id: string, is_whole: boolean): Promise<void> =>
  void (await db
    .updateTable('safe_apply')
    .set({ is_whole: Number(is_whole) })
    .where('window_id', '=', window_id)
    .execute())

/** Removes a window that held nothing. Call it in a transaction. */
export async function removeOpen(db: WriteDb): Promise<void> {
  await db.deleteFrom('safe_apply').where('ended_how', 'is', null).execute()
  await db.deleteFrom('safe_apply_row').execute()
}

interface Ending {
  readonly window_id: string
  readonly ended_how: SafeApplyEnded['ended_how']
  readonly ended_date: string
  readonly items: readonly SafeApplyItem[]
}

export async function markEnded(db: WriteDb, { window_id, items, ...ending }: Ending): Promise<void> {
  await db
    .updateTable('safe_apply')
    .set({ ...ending, items: JSON.stringify(items) })
    .where('window_id', '=', window_id)
    .execute()
}

export async function deleteEndedBefore(db: WriteDb, limit: string): Promise<void> {
  await db.deleteFrom('safe_apply').where('ended_date', '<', limit).execute()
}

export async function findLast(db: ReadDb): Promise<SafeApplyEnded | null> {
  const row = await db
    .selectFrom('safe_apply')
    .selectAll()
    .where('ended_how', 'is not', null)
    .orderBy('safe_apply_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row?.ended_date == null || row.ended_how === null) return null
  return {
    window_id: row.window_id,
    ended_how: row.ended_how as SafeApplyEnded['ended_how'],
    ended_at: row.ended_date,
    username: row.username,
    items: fromStoredJson(row.items) as SafeApplyItem[],
  }
}

export const findEnd = async (db: ReadDb, window_id: string) =>
  db.selectFrom('safe_apply').select(['ended_how', 'ended_date']).where('window_id', '=', window_id).executeTakeFirst()

/** Those that are deleted included: they are not up any more. */
export const namesOf = async (db: ReadDb, tunnel_ids: readonly number[]): Promise<string[]> =>
  tunnel_ids.length === 0
    ? []
    : (
        await db
          .selectFrom('tunnel')
          .select('interface_name')
          .where('tunnel_id', 'in', [...tunnel_ids])
          .execute()
      ).map(({ interface_name }) => interface_name)
