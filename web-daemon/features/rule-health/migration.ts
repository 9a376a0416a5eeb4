// Makes the table of what was proven of rules.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table route_proof (
      route_rule_id integer primary key references route_rule (route_rule_id) on delete cascade,
      proven_date text not null,
      proven_by text not null,
      proven_of text
    ) strict`.execute(db)
}

export const name = '012-rule-health'
export const migration = { up }
