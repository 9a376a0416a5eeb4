// Gives each interval of a tunnel's history how long the tunnel was up, degraded and down in it. Of rows from before
// only the length is stored, since a history can have millions of rows: their times are made when they are read.
import { sql, type Kysely } from 'kysely'

/** The default of monitor.aggregate_interval_seconds. */
const USUAL_S = 60

async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{
    value: string
  }>`select value from setting where key = 'monitor.aggregate_interval_seconds'`.execute(db)
  const seconds = Number(rows[0]?.value ?? USUAL_S)
  const length_ms = (Number.isInteger(seconds) && seconds > 0 ? seconds : USUAL_S) * 1000
  for (const name of ['up_ms', 'degraded_ms', 'down_ms'])
    await sql`alter table monitor_bucket add column ${sql.ref(name)} integer not null default 0`.execute(db)
  await sql`alter table monitor_bucket add column untimed_ms integer not null default ${sql.lit(length_ms)}`.execute(db)
}

export const name = '013-monitor-times'
export const migration = { up }
