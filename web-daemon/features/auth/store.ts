// Reads and writes the operator's account.
import type { Kysely, Selectable } from 'kysely'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import type { UserAccountTable } from './table.ts'

export type Account = Selectable<UserAccountTable>

export const hasAccount = async (db: ReadDb): Promise<boolean> =>
  (await db.selectFrom('user_account').select('user_id').limit(1).executeTakeFirst()) !== undefined

/** The column compares without regard to case. */
export const accountNamed = async (db: ReadDb, username: string): Promise<Account | undefined> =>
  db.selectFrom('user_account').selectAll().where('username', '=', username).executeTakeFirst()

export const accountWith = async (db: ReadDb, user_id: number): Promise<Account | undefined> =>
  db.selectFrom('user_account').selectAll().where('user_id', '=', user_id).executeTakeFirst()

/** Undefined if an account exists by now: of two concurrent set-ups, the second finds it inside its transaction. */
export const insertFirstAccount = async (
  db: Kysely<Database>,
  username: string,
  password_hash: string,
  now: string,
): Promise<Account | undefined> =>
  db.transaction().execute(async (trx) => {
    if (await hasAccount(trx)) return undefined
    const row = { username, password_hash, last_login_date: now, created_date: now, updated_date: now }
    return trx.insertInto('user_account').values(row).returningAll().executeTakeFirstOrThrow()
  })

export const recordLogin = async (db: Kysely<Database>, user_id: number, now: string): Promise<Account> =>
  db
    .updateTable('user_account')
    .set({ last_login_date: now })
    .where('user_id', '=', user_id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** There is one, or none yet. */
export const onlyAccount = async (db: ReadDb): Promise<Account | undefined> =>
  db.selectFrom('user_account').selectAll().orderBy('user_id').limit(1).executeTakeFirst()

/** When the name or the password last changed; signing in does not count. */
export const lastChange = async (db: ReadDb): Promise<string | null> => (await onlyAccount(db))?.updated_date ?? null

/** Does not check for a concurrent change. Ends every session of the account. */
export const replacePassword = async (
  db: WriteDb,
  user_id: number,
  password_hash: string,
  now: string,
): Promise<void> => {
  await db
    .updateTable('user_account')
    .set((e) => ({ password_hash, token_version: e('token_version', '+', 1), updated_date: now }))
    .where('user_id', '=', user_id)
    .execute()
}

/** Ends every session of the account. Undefined if the account has changed since it was read. */
export const changeAccount = async (
  db: Kysely<Database>,
  account: Account,
  change: { username: string; password_hash: string },
  now: string,
): Promise<Account | undefined> =>
  db
    .updateTable('user_account')
    .set({ ...change, token_version: account.token_version + 1, updated_date: now })
    .where('user_id', '=', account.user_id)
    .where('token_version', '=', account.token_version)
    .returningAll()
    .executeTakeFirst()
