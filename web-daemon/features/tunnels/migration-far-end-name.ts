// Tunnels gain a name for the far end, with when it was resolved and why it is not followed; none had one.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of [
    'remote_hostname text',
    'remote_resolved_date text',
    "remote_hostname_problem text not null default ''",
    `remote_hostname_problem_message text not null default '{"message":"","message_id":"","params":{}}'`,
  ])
    await sql`alter table tunnel add column ${sql.raw(column)}`.execute(db)
}

export const name = '019-tunnel-far-end-name'
export const migration = { up }
