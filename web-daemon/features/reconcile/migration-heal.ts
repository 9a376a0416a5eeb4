// Gives tunnels and rules a word of their own on whether the panel puts them back; none of them has one yet.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['tunnel', 'route_rule'])
    await sql`alter table ${sql.table(table)} add column is_self_heal integer`.execute(db)
}

export const name = '020-heal'
export const migration = { up }
