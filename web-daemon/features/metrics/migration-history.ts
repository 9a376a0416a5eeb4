// Makes the table of the host's history: one row per interval, some fifty bytes each.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table host_bucket (
      bucket_start integer primary key,
      cpu_count integer,
      cpu_sum integer,
      cpu_max integer,
      memory_count integer,
      memory_sum integer,
      memory_max integer,
      disk_max integer,
      rx_bytes integer,
      tx_bytes integer
    ) strict`.execute(db)
}

export const name = '017-host-history'
export const migration = { up }
