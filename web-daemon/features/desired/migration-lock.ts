// Files gain whether their objects are changed by the file alone; those of no file were.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table desired_file add column is_locked integer not null default 0`.execute(db)
}

export const name = '026-desired-lock'
export const migration = { up }
