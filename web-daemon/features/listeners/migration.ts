// Makes the table of the kept listener. One on trial is in memory alone, so it ends with the daemon.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table listener (
      listener_id integer primary key,
      address text not null,
      port integer not null,
      tls_cert text,
      tls_key blob,
      configured_address text not null,
      configured_port integer not null,
      created_date text not null
    ) strict`.execute(db)
}

export const name = '009-listeners'
export const migration = { up }
