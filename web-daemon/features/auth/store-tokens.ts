// Reads and writes API tokens.
import type { Insertable, Selectable } from 'kysely'
import type { ReadDb, StoreContext } from '../../platform/context.ts'
import type { ApiTokenTable } from './table.ts'

export type TokenRow = Selectable<ApiTokenTable>
type Db = StoreContext['db']

export async function liveTokens(db: ReadDb): Promise<TokenRow[]> {
  return db.selectFrom('api_token').selectAll().where('revoked_date', 'is', null).orderBy('token_id').execute()
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
