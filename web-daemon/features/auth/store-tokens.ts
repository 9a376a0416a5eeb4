// Reads and writes API tokens.
import type { Insertable, Selectable } from 'kysely'
import type { EndedToken } from '@panel/shared/api/tokens.ts'
import type { ReadDb, StoreContext, WriteDb } from '../../platform/context.ts'
import type { ApiTokenTable } from './table.ts'

export type TokenRow = Selectable<ApiTokenTable>
type Db = StoreContext['db']

export async function liveTokens(db: ReadDb): Promise<TokenRow[]> {
  return db.selectFrom('api_token').selectAll().where('revoked_date', 'is', null).orderBy('token_id').execute()
}

export async function findToken<C extends 'token_id' | 'lookup'>(
  db: ReadDb,
  column: C,
  value: TokenRow[C],
): Promise<TokenRow | undefined> {
  return db
    .selectFrom('api_token')
    .selectAll()
    .where('revoked_date', 'is', null)
    .where(column as 'lookup', '=', value as string)
    .executeTakeFirst()
}

/** Revokes all tokens, and returns what they were. */
export async function endTokens(db: WriteDb, now: string): Promise<EndedToken[]> {
  return db
    .updateTable('api_token')
    .set({ revoked_date: now })
    .where('revoked_date', 'is', null)
    .returning(['token_id', 'title'])
    .execute()
}

export async function insertToken(db: Db, row: Insertable<ApiTokenTable>): Promise<TokenRow> {
  return db.insertInto('api_token').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function updateToken(
  db: Db,
  token_id: number,
  change: Partial<Omit<TokenRow, 'token_id'>>,
): Promise<void> {
  await db.updateTable('api_token').set(change).where('token_id', '=', token_id).execute()
}
