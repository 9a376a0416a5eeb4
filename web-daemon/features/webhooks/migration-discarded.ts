// Counts what was deleted from the outbox of a target without having been sent.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table webhook add column discarded_too_old integer not null default 0`.execute(db)
  await sql`alter table webhook add column discarded_no_room integer not null default 0`.execute(db)
  await sql`alter table webhook add column discarded_since text`.execute(db)
  await sql`alter table webhook add column discarded_last text`.execute(db)
}

export const name = '028-webhook-discarded'
export const migration = { up }
