// Reads and writes the sessions in the store.
import type { Insertable, Selectable } from 'kysely'
import type { ReadDb, StoreContext, WriteDb } from '../../platform/context.ts'
import type { RevokedWhy, SessionTable } from './table.ts'

export type SessionRow = Selectable<SessionTable>

export async function allSessions(db: ReadDb): Promise<SessionRow[]> {
  return db.selectFrom('session').selectAll().execute()
}

/** Those that no token is valid for any more make room. */
export async function insertSession(db: WriteDb, row: Insertable<SessionTable>, now: string): Promise<SessionRow> {
  await db.deleteFrom('session').where('expires_date', '<', now).execute()
  return db.insertInto('session').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function updateSession(
  db: StoreContext['db'],
  session_id: number,
  change: Partial<Omit<SessionRow, 'session_id'>>,
): Promise<void> {
  await db.updateTable('session').set(change).where('session_id', '=', session_id).execute()
}

/** Revokes all sessions; those that are over already keep their reason. */
export async function revokeAllSessions(
  db: WriteDb,
  user_id: number,
  { why, now }: { why: RevokedWhy; now: string },
): Promise<void> {
  await db
    .updateTable('session')
    .set({ revoked_date: now, revoked_why: why })
    .where('user_id', '=', user_id)
    .where('revoked_date', 'is', null)
    .execute()
}
