// Gives each interval of a tunnel's history the bytes that went through its interface. Nobody counted those of rows
// from before.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['rx_bytes', 'tx_bytes'])
    await sql`alter table monitor_bucket add column ${sql.ref(name)} integer`.execute(db)
}

export const name = '014-monitor-traffic'
export const migration = { up }
