// Makes the table of incidents.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table incident (
      incident_id integer primary key autoincrement,
      kind text not null,
      subject_id integer,
      subject_name text not null,
      state text not null,
      began_date text not null,
      ended_date text,
      reason text not null,
      route_rule_ids text not null,
      affected text not null,
      affected_connections integer,
      host_changes text not null,
      acknowledged_date text,
      acknowledged_by text not null default '',
      silenced_until text,
      silenced_by text not null default ''
    ) strict`.execute(db)
  // Two open ones of the same subject would both be its record.
  await sql`
    create unique index incident_open on incident (kind, coalesce(subject_id, subject_name))
    where ended_date is null`.execute(db)
  await sql`create index incident_ended on incident (ended_date)`.execute(db)
}

export const name = '013-incidents'
export const migration = { up }
