// Makes the tables of sessions and of the addresses that the operator has signed in from. The audit log names the
// session of each entry.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table session (
      session_id integer primary key autoincrement,
      session_key text not null unique,
      user_id integer not null,
      created_date text not null,
      last_used_date text not null,
      last_ip text not null,
      user_agent text not null,
      refresh_generation integer not null,
      refreshed_date text not null,
      expires_date text not null,
      revoked_date text,
      revoked_why text not null default ''
    ) strict`.execute(db)
  await sql`
    create table known_address (
      address_hash blob primary key,
      last_used_date text not null
    ) strict`.execute(db)
  await sql`alter table audit_log add column session_id integer`.execute(db)
}

export const name = '024-sessions'
export const migration = { up }
