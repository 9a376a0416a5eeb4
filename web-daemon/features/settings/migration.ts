// Makes the table of settings: one row per setting that was ever written.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table setting (key text primary key, value text not null, updated_date text not null) strict`.execute(
    db,
  )
}

export const name = '004-settings'
export const migration = { up }
