// Reads and writes the kept listener. There is one at most: keeping one takes the place of the other.
import { sql, type Kysely } from 'kysely'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Place } from '../../platform/http/sockets.ts'
import type { SealedPair } from './sealed-pair.ts'

export interface StoredListener extends Place {
  readonly listener_id: number
  readonly tls: SealedPair | null
}

/**
 * The listener that was kept in place of the configured one of that time. A configuration that has changed since wins.
 */
export async function keptListener(db: ReadDb, configured: Place): Promise<StoredListener | null> {
  const row = await db
    .selectFrom('listener')
    .selectAll()
    .where('configured_address', '=', configured.address)
    .where('configured_port', '=', configured.port)
    .executeTakeFirst()
  if (!row) return null
  const { listener_id, address, port, tls_cert: cert, tls_key: sealed_key } = row
  return { listener_id, address, port, tls: cert === null || sealed_key === null ? null : { cert, sealed_key } }
}

export async function hasListener(db: ReadDb): Promise<boolean> {
  return (await db.selectFrom('listener').select('listener_id').executeTakeFirst()) !== undefined
}

export async function keepListener(
  db: Kysely<Database>,
  { listener_id, address, port, tls }: StoredListener,
  configured: Place,
  now: Date,
): Promise<void> {
  const row = {
    listener_id,
    address,
    port,
    tls_cert: tls?.cert ?? null,
    tls_key: tls?.sealed_key ?? null,
    configured_address: configured.address,
    configured_port: configured.port,
  }
  await db.transaction().execute(async (transaction) => {
    await forgetListener(transaction)
    await transaction
      .insertInto('listener')
      .values({ ...row, created_date: now.toISOString() })
      .execute()
  })
}

export async function forgetListener(db: WriteDb): Promise<void> {
  await db.deleteFrom('listener').execute()
}

/** Not of a store that the daemon has yet to bring forward. */
export async function hasTable(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql`select 1 from sqlite_master where type = 'table' and name = 'listener'`.execute(db)
  return rows.length > 0
}
