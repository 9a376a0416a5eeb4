// Makes the tables of the second factor and of the codes that stand in for a lost one.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table second_factor (
      second_factor_id integer primary key autoincrement,
      user_id integer not null,
      kind text not null,
      secret blob not null,
      label text not null,
      last_step integer not null,
      created_date text not null,
      confirmed_date text,
      last_used_date text,
      unique (user_id, kind)
    ) strict`.execute(db)
  await sql`
    create table recovery_code (
      code_hash blob primary key,
      user_id integer not null,
      used_date text
    ) strict`.execute(db)
}

export const name = '025-second-factor'
export const migration = { up }
