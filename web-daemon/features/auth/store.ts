// Reads and writes the operator's account.
import type { Kysely, Selectable } from 'kysely'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import { revokeAllSessions } from './store-sessions.ts'
import type { UserAccountTable } from './table.ts'

export type Account = Selectable<UserAccountTable>

export async function hasAccount(db: ReadDb): Promise<boolean> {
  return (await db.selectFrom('user_account').select('user_id').limit(1).executeTakeFirst()) !== undefined
}

/** The column compares without regard to case. */
export async function findAccountByName(db: ReadDb, username: string): Promise<Account | undefined> {
  return db.selectFrom('user_account').selectAll().where('username', '=', username).executeTakeFirst()
}

export async function findAccountById(db: ReadDb, user_id: number): Promise<Account | undefined> {
  return db.selectFrom('user_account').selectAll().where('user_id', '=', user_id).executeTakeFirst()
}

/**
 * Undefined if an account exists by now: of two concurrent set-ups, the second finds it inside its transaction. If
 * `alongside` throws there is no account.
 */
export async function insertFirstAccount(
  db: Kysely<Database>,
  username: string,
  password_hash: string,
  now: string,
  alongside: () => void = () => undefined,
): Promise<Account | undefined> {
  return db.transaction().execute(async (trx) => {
    if (await hasAccount(trx)) return undefined
    const row = { username, password_hash, last_login_date: now, created_date: now, updated_date: now }
    const inserted = await trx.insertInto('user_account').values(row).returningAll().executeTakeFirstOrThrow()
    alongside()
    return inserted
  })
}

export async function recordLogin(db: Kysely<Database>, user_id: number, now: string): Promise<Account> {
  return db
    .updateTable('user_account')
    .set({ last_login_date: now })
    .where('user_id', '=', user_id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** There is one, or none yet. */
export async function onlyAccount(db: ReadDb): Promise<Account | undefined> {
  return db.selectFrom('user_account').selectAll().orderBy('user_id').limit(1).executeTakeFirst()
}

/** When the name or the password last changed; signing in does not count. */
export async function lastChange(db: ReadDb): Promise<string | null> {
  return (await onlyAccount(db))?.updated_date ?? null
}

/**
 * Does not check for a concurrent change. Ends every session of the account, of which a running daemon learns by the
 * version.
 */
export async function replacePassword(db: WriteDb, user_id: number, password_hash: string, now: string): Promise<void> {
  await db
    .updateTable('user_account')
    .set((e) => ({ password_hash, token_version: e('token_version', '+', 1), updated_date: now }))
    .where('user_id', '=', user_id)
    .execute()
  await revokeAllSessions(db, user_id, { why: 'password_reset', now })
}

/** Ends every session of the account. Undefined if the account has changed since it was read. */
export async function changeAccount(
  db: Kysely<Database>,
  account: Account,
  change: { username: string; password_hash: string },
  now: string,
): Promise<Account | undefined> {
  return db
    .updateTable('user_account')
    .set({ ...change, token_version: account.token_version + 1, updated_date: now })
    .where('user_id', '=', account.user_id)
    .where('token_version', '=', account.token_version)
    .returningAll()
    .executeTakeFirst()
}
