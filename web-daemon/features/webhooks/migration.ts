// Makes the tables of notifications: targets with what was discarded of theirs, the outbox, and what was last reported
// of each thing.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table webhook (
      webhook_id integer primary key autoincrement,
      title text not null,
      kind text not null,
      address text not null,
      has_secret integer not null,
      sealed blob not null,
      username text not null,
      sender text not null,
      recipient text not null,
      events text not null,
      language text,
      cool_down_seconds integer not null,
      is_enabled integer not null,
      failing_since text,
      last_error text not null,
      discarded_too_old integer not null default 0,
      discarded_no_room integer not null default 0,
      discarded_since text,
      discarded_last text
    ) strict`.execute(db)
  await sql`
    create table webhook_delivery (
      delivery_id integer primary key autoincrement,
      webhook_id integer not null references webhook on delete cascade,
      event_id text not null,
      subject_key text not null,
      notice text not null,
      state text not null,
      tries integer not null,
      created_date text not null,
      next_try_date text,
      last_error text not null
    ) strict`.execute(db)
  await sql`create index webhook_delivery_due on webhook_delivery (next_try_date) where next_try_date is not null`.execute(
    db,
  )
  await sql`create index webhook_delivery_target on webhook_delivery (webhook_id, delivery_id)`.execute(db)
  await sql`
    create table webhook_subject (
      webhook_id integer not null references webhook on delete cascade,
      subject_key text not null,
      is_open integer not null,
      level integer not null,
      reported_date text not null,
      primary key (webhook_id, subject_key)
    ) strict, without rowid`.execute(db)
}

export const name = '011-webhooks'
export const migration = { up }
