// Tunnels gain whether what comes in by them is answered by them; none was.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tunnel add column is_answered_through integer not null default 0`.execute(db)
}

export const name = '014-tunnel-answers'
export const migration = { up }
