// Gives stored tunnels a keepalive, which none of them has yet.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tunnel add column keepalive_interval_seconds real`.execute(db)
  await sql`alter table tunnel add column keepalive_packet_size integer not null default 56`.execute(db)
}

export const name = '004-tunnel-keepalive'
export const migration = { up }
