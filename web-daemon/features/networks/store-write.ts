// Writes the stored networks. Run every function inside a transaction: a network without its paths is none.
import { NETWORK_FIELDS } from '@panel/shared/api/networks/fields.ts'
import type { ApplyMark } from '../../change/resource.ts'
import type { WriteDb } from '../../platform/context.ts'
import { isAmong } from '../../platform/db/among.ts'
import { insertUnder } from '../../platform/db/revive.ts'
import { rowsOf } from '../../platform/db/row.ts'
import { titleKey } from '../../platform/db/search.ts'
import type { NewNetwork } from './record.ts'
import type { NewNetworkRow } from './table.ts'

const { toRow } = rowsOf(NETWORK_FIELDS)

type Lists = Pick<NewNetwork, 'paths' | 'own_addresses'>

const rowOf = (network: Omit<NewNetwork, keyof Lists>): NewNetworkRow => ({
  ...toRow(network),
  title_key: titleKey(network.network_title),
  deleted_date: null,
})

/** Returns the new id, or the one that it gets again. */
export async function insertNetwork(
  db: WriteDb,
  { paths, own_addresses, ...network }: NewNetwork,
  reviving?: number,
): Promise<number> {
  const row = rowOf(network)
  if (reviving !== undefined) await insertUnder(db, { table: 'network', key: 'network_id' }, reviving, row)
  const network_id = reviving ?? Number((await db.insertInto('network').values(row).executeTakeFirstOrThrow()).insertId)
  await insertLists(db, network_id, { paths, own_addresses })
  return network_id
}

export async function replaceNetwork(
  db: WriteDb,
  network_id: number,
  { paths, own_addresses, ...network }: NewNetwork,
): Promise<void> {
  await db.updateTable('network').set(rowOf(network)).where('network_id', '=', network_id).execute()
  await dropLists(db, network_id)
  await insertLists(db, network_id, { paths, own_addresses })
}

async function insertLists(db: WriteDb, network_id: number, { paths, own_addresses }: Lists): Promise<void> {
  for (const [sort_order, path] of paths.entries())
    await db
      .insertInto('network_path')
      .values({ ...path, network_id, sort_order })
      .execute()
  for (const [sort_order, address] of own_addresses.entries())
    await db.insertInto('network_address').values({ network_id, address, sort_order }).execute()
}

async function dropLists(db: WriteDb, network_id: number): Promise<void> {
  for (const table of ['network_path', 'network_address'] as const)
    await db.deleteFrom(table).where('network_id', '=', network_id).execute()
}

export async function markDeleted(db: WriteDb, network_id: number, now: string): Promise<void> {
  await db
    .updateTable('network')
    .set({ deleted_date: now, updated_date: now })
    .where('network_id', '=', network_id)
    .execute()
  await dropLists(db, network_id)
}

/** One statement, however many they are. */
export async function markApplied(db: WriteDb, ids: readonly number[], mark: ApplyMark, now: string): Promise<void> {
  await db
    .updateTable('network')
    .set({ ...toRow(mark), updated_date: now })
    .where(isAmong('network_id', ids))
    .execute()
}

export interface FailedPath {
  readonly network_id: number
  readonly tunnel_id: number
  /** When the monitor took it out; null: it is put back. */
  readonly failed_date: string | null
}

export async function markFailed(db: WriteDb, failed: readonly FailedPath[]): Promise<void> {
  for (const { network_id, tunnel_id, failed_date } of failed)
    await db
      .updateTable('network_path')
      .set({ failed_date })
      .where('network_id', '=', network_id)
      .where('tunnel_id', '=', tunnel_id)
      .execute()
}
