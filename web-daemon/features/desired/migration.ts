// Makes the tables of files that say what the panel is to do.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table desired_file (
      name text primary key,
      digest text not null,
      applied_date text not null,
      user_id integer,
      username text not null
    ) strict, without rowid`.execute(db)
  await sql`
    create table desired_object (
      name text not null references desired_file (name) on delete cascade,
      kind text not null,
      target_key text not null,
      item blob not null,
      primary key (name, kind, target_key)
    ) strict, without rowid`.execute(db)
}

export const name = '023-desired'
export const migration = { up }
