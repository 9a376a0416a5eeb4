// Relay rules gain the interfaces whose addresses they have; none has one.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table route_rule add column bind_address_interface text`.execute(db)
  await sql`alter table route_rule add column snat_address_interface text`.execute(db)
}

export const name = '017-route-interfaces'
export const migration = { up }
