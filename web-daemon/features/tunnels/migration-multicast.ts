// Tunnels gain whether their links take multicast; each has what its kind begins with.
import { sql, type Kysely } from 'kysely'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tunnel add column is_multicast integer`.execute(db)
}

export const name = '018-tunnel-multicast'
export const migration = { up }
