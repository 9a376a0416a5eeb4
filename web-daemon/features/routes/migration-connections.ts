// Gives each interval of a rule's history the connections that were counted in it; of those before, nobody knows.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table route_bucket add column active_connections integer`.execute(db)
  await sql`alter table route_bucket add column new_connections integer`.execute(db)
}

export const name = '009-route-connections'
export const migration = { up }
