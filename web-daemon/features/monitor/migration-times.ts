// Gives each interval of a tunnel's history how long the tunnel was up, degraded and down in it.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['up_ms', 'degraded_ms', 'down_ms'])
    await sql`alter table monitor_bucket add column ${sql.ref(name)} integer not null default 0`.execute(db)
}

export const name = '013-monitor-times'
export const migration = { up }
