// Gives rules a word of their own on the fast path, and room for what connection tracking has counted of it.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table route_rule add column is_fast_path integer`.execute(db)
  await sql`alter table route_rule add column fast_path_state text not null default 'off'`.execute(db)
  for (const what of ['fast', 'twice'])
    for (const column of ['rx_bytes', 'tx_bytes', 'rx_packets', 'tx_packets'])
      await sql`alter table route_total add column ${sql.ref(`${what}_${column}`)} integer not null default 0`.execute(
        db,
      )
  await sql`alter table route_total add column fast_epoch text not null default ''`.execute(db)
}

export const name = '022-fast-path'
export const migration = { up }
