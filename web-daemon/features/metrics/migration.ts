// Makes the tables of each interface's traffic since the panel was installed, and of the host's history.
import { sql, type Kysely } from 'kysely'

const TRAFFIC = sql`
  create table interface_traffic (
    interface_name text primary key,
    boot_id text not null,
    interface_index integer not null,
    rx_bytes_seen integer not null,
    tx_bytes_seen integer not null,
    rx_bytes_since_install integer not null,
    tx_bytes_since_install integer not null,
    seen_date text not null
  ) strict`
// One row per interval, some fifty bytes each.
const BUCKET = sql`
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
  ) strict`

async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [TRAFFIC, BUCKET]) await statement.execute(db)
}

export const name = '005-metrics'
export const migration = { up }
