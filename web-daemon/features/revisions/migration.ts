// Makes the tables of the revisions.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table revision (
      revision_id integer primary key autoincrement,
      created_date text not null,
      user_id integer,
      username text not null,
      origin text not null,
      audit_action_id integer,
      request_id text not null,
      reason text not null,
      window_id text,
      is_taken_back integer not null default 0,
      is_pinned integer not null default 0,
      is_shown integer not null,
      digest text not null
    ) strict`.execute(db)
  await sql`
    create table revision_item (
      revision_id integer not null references revision (revision_id) on delete cascade,
      kind text not null,
      target_key text not null,
      title text not null,
      before blob,
      after blob,
      primary key (revision_id, kind, target_key)
    ) strict, without rowid`.execute(db)
  await sql`create index revision_item_of on revision_item (kind, target_key)`.execute(db)
  await sql`
    create table revision_object (
      kind text not null,
      target_key text not null,
      title text not null,
      item blob not null,
      digest text not null,
      primary key (kind, target_key)
    ) strict, without rowid`.execute(db)
}

export const name = '020-revisions'
export const migration = { up }
