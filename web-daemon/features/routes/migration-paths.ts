// Makes the table of the routes through tunnels that lead to destinations of rules.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table tunnel_route (
      tunnel_id integer not null references tunnel (tunnel_id),
      destination text not null,
      primary key (tunnel_id, destination)
    ) strict, without rowid`.execute(db)
}

export const name = '012-tunnel-routes'
export const migration = { up }
