// Makes the tables of safe apply: the windows, and what the followed tables held when the open one was opened.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table safe_apply (
      safe_apply_id integer primary key,
      window_id text not null unique,
      opened_date text not null,
      user_id integer,
      username text not null,
      ended_date text,
      ended_how text,
      items text not null default '[]'
    ) strict`.execute(db)
  await sql`
    create table safe_apply_row (
      table_name text not null,
      row_key text not null,
      before text not null,
      primary key (table_name, row_key)
    ) strict, without rowid`.execute(db)
}

export const name = '010-safe-apply'
export const migration = { up }
