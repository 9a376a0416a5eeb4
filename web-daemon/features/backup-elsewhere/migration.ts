// Makes the table of backups elsewhere.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table backup_elsewhere (
      backup_elsewhere_id integer primary key,
      passphrase blob not null,
      tried_date text,
      succeeded_date text,
      digest text not null default '',
      sent_digest text not null default '',
      file_name text not null default '',
      file text not null default '',
      last_error text not null default ''
    ) strict`.execute(db)
}

export const name = '022-backup-elsewhere'
export const migration = { up }
