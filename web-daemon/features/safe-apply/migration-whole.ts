// Windows gain whether what they hold stays as a whole or not at all; none of those before did.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table safe_apply add column is_whole integer not null default 0`.execute(db)
}

export const name = '027-safe-apply-whole'
export const migration = { up }
