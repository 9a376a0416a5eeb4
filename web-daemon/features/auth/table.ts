// The account table as SQLite holds it.
import type { Generated } from 'kysely'

export interface UserAccountTable {
  user_id: Generated<number>
  username: string
  password_hash: string
  /** Every token contains the version it was issued under; raising it ends every session at once. */
  token_version: Generated<number>
  is_active: Generated<number>
  last_login_date: string | null
  created_date: string
  updated_date: string
}

export interface AuthTables {
  user_account: UserAccountTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends AuthTables {}
}
