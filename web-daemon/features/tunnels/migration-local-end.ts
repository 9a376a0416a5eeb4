// Tunnels gain the choice to follow the route to the far end with their own address; none did.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of [
    'is_local_endpoint_automatic integer not null default 0',
    "local_endpoint_problem text not null default ''",
    `local_endpoint_problem_message text not null default '{"message":"","message_id":"","params":{}}'`,
  ])
    await sql`alter table tunnel add column ${sql.raw(column)}`.execute(db)
}

export const name = '021-tunnel-local-end'
export const migration = { up }
