// Revisions gain the name of the file that they come from; none did.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table revision add column file_name text not null default ''`.execute(db)
}

export const name = '025-revision-file'
export const migration = { up }
