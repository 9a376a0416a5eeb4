// Gives the rules that listen on ranges of ports an index of their own: among ten thousand others they are to be found
// without looking at those.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index route_rule_ranges on route_rule (bind_port, bind_port_range_end) where deleted_date is null and is_enabled = 1 and bind_port_range_end is not null`.execute(
    db,
  )
}

export const name = '011-route-ranges'
export const migration = { up }
