// Makes the table of API tokens.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table api_token (
      token_id integer primary key autoincrement,
      lookup text not null unique,
      title text not null,
      hash blob not null,
      scopes text not null,
      allowed_networks text not null,
      user_id integer not null,
      created_date text not null,
      expires_date text,
      last_used_date text,
      last_used_ip text not null default '',
      revoked_date text
    ) strict`.execute(db)
}

export const name = '026-api-tokens'
export const migration = { up }
