// Makes the table of each interface's traffic since the panel was installed.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table interface_traffic (
      interface_name text primary key,
      boot_id text not null,
      interface_index integer not null,
      rx_bytes_seen integer not null,
      tx_bytes_seen integer not null,
      rx_bytes_since_install integer not null,
      tx_bytes_since_install integer not null,
      seen_date text not null
    ) strict`.execute(db)
}

export const name = '006-metrics'
export const migration = { up }
