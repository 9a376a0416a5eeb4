// Reads and writes the kept listener. There is one at most: keeping one takes the place of the other.
import type { Kysely } from 'kysely'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Place } from '../../platform/http/sockets.ts'
import type { CertificatePair } from '../../platform/tls/certificate.ts'

export interface StoredListener extends Place {
  readonly listener_id: number
  readonly tls: Pick<CertificatePair, 'cert' | 'key'> | null
}

export async function keptListener(db: ReadDb): Promise<StoredListener | null> {
  const row = await db.selectFrom('listener').selectAll().executeTakeFirst()
  if (!row) return null
  const { listener_id, address, port, tls_cert: cert, tls_key: key } = row
  return { listener_id, address, port, tls: cert === null || key === null ? null : { cert, key } }
}

export async function keepListener(
  db: Kysely<Database>,
  { listener_id, address, port, tls }: StoredListener,
  now: Date,
): Promise<void> {
  const row = { listener_id, address, port, tls_cert: tls?.cert ?? null, tls_key: tls?.key ?? null }
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
