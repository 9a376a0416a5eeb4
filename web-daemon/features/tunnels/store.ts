// Reads and writes the stored tunnels. A list costs three queries, however long it is.
import { TUNNEL_FIELDS } from '@panel/shared/api/tunnels/fields.ts'
import { sql, type SelectQueryBuilder } from 'kysely'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import { groupedBy } from '../../platform/db/grouped.ts'
import type { ApplyMark } from '../../change/resource.ts'
import { rowsOf } from '../../platform/db/row.ts'
import { holds } from '../../platform/db/search.ts'
import type { Database } from '../../platform/db/database.ts'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { isAmong } from '../../platform/db/among.ts'
import { insertUnder } from '../../platform/db/revive.ts'
import type { Paging } from '../../platform/http/paging.ts'
import type { AddressRecord, NewAddress, NewTunnel, TunnelRecord } from './record.ts'
import { RECORD, recordOf, type RecordRow } from './store-record.ts'
import type { NewTunnelRow } from './table.ts'

export interface TunnelFilter {
  readonly search?: string | undefined
  readonly is_enabled?: boolean | undefined
  readonly tunnel_type_id?: number | undefined
  readonly apply_status_id?: number | undefined
  readonly tunnel_ids?: readonly number[] | undefined
}

/** A tunnel as far as another one can collide with it. */
export interface ExistingTunnel extends Pick<
  TunnelRecord,
  | 'tunnel_id'
  | 'interface_name'
  | 'display_name'
  | 'tunnel_number'
  | 'tunnel_type_id'
  | 'local_endpoint'
  | 'remote_endpoint'
  | 'ikey'
  | 'okey'
  | 'fwmark'
> {
  readonly is_answered_through: boolean
  readonly is_enabled: boolean
  readonly addresses: readonly Pick<AddressRecord, 'address' | 'peer_address' | 'prefix_length'>[]
}

export interface TunnelPage {
  readonly total: number
  readonly interface_names: string[]
  /**
   * The records of the page, as text. SQLite holds the thread while it reads, so what was requested of the helper at the
   * same time is sent before it.
   */
  readonly rows: () => Promise<RecordRow[]>
  readonly read: () => Promise<TunnelRecord[]>
}

/** The tunnels on a page: so the host can be queried about them while their records are read. */
export async function pageOfTunnels(db: ReadDb, filter: TunnelFilter, { limit, offset }: Paging): Promise<TunnelPage> {
  const all = matching(db.selectFrom('tunnel').where('deleted_date', 'is', null), filter)
  const { total } = await all.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const page = all.orderBy('tunnel_id').limit(limit).offset(offset)
  const named = await page.select('interface_name').execute()
  const rows = async (): Promise<RecordRow[]> => {
    await new Promise((resolve) => setImmediate(resolve))
    return page.select(['interface_name', 'apply_status_id', RECORD]).execute()
  }
  const read = async () => (await rows()).map(({ record }) => recordOf(record))
  return { total, interface_names: named.map((row) => row.interface_name), rows, read }
}

function matching<O>(
  query: SelectQueryBuilder<Database, 'tunnel', O>,
  filter: TunnelFilter,
): SelectQueryBuilder<Database, 'tunnel', O> {
  let all = query
  if (filter.is_enabled !== undefined) all = all.where('is_enabled', '=', filter.is_enabled ? 1 : 0)
  if (filter.tunnel_type_id !== undefined) all = all.where('tunnel_type_id', '=', filter.tunnel_type_id)
  if (filter.apply_status_id !== undefined) all = all.where('apply_status_id', '=', filter.apply_status_id)
  const { search, tunnel_ids } = filter
  if (tunnel_ids) all = all.where(isAmong('tunnel_id', tunnel_ids))
  if (search === undefined || search === '') return all
  const words = [
    'interface_name',
    'display_name',
    'note',
    'tags',
    'local_endpoint',
    'remote_endpoint',
    'remote_hostname',
  ] as const
  const inner = sql`a.address || '/' || a.prefix_length || ' ' || a.peer_address`
  const isInside = sql<boolean>`exists (select 1 from tunnel_address a where a.tunnel_id = tunnel.tunnel_id and ${holds(inner, search)})`
  return all.where((e) => e.or([...words.map((column) => holds(column, search)), isInside]))
}

export const everyTunnel = async (db: ReadDb): Promise<TunnelRecord[]> =>
  (await pageOfTunnels(db, {}, { limit: Number.MAX_SAFE_INTEGER, offset: 0 })).read()

/** The living tunnels of these ids. */
export const tunnelsOf = async (db: ReadDb, tunnel_ids: readonly number[]): Promise<TunnelRecord[]> =>
  (await pageOfTunnels(db, { tunnel_ids }, { limit: Number.MAX_SAFE_INTEGER, offset: 0 })).read()

/** Those whose last change has not been seen to end. */
export const pendingTunnels = async (db: ReadDb): Promise<TunnelRecord[]> =>
  (
    await pageOfTunnels(db, { apply_status_id: APPLY_STATUSES.Pending }, { limit: Number.MAX_SAFE_INTEGER, offset: 0 })
  ).read()

export interface StoredTunnel {
  readonly record: TunnelRecord
  readonly isDeleted: boolean
}

/** A tunnel that was deleted is still known by its id. */
export async function findTunnel(db: ReadDb, tunnel_id: number): Promise<StoredTunnel | null> {
  const row = await db
    .selectFrom('tunnel')
    .select([RECORD, 'deleted_date'])
    .where('tunnel_id', '=', tunnel_id)
    .executeTakeFirst()
  return row ? { record: recordOf(row.record), isDeleted: row.deleted_date !== null } : null
}

/** The interface of a tunnel that is there, or null. */
export async function nameOfTunnel(db: ReadDb, tunnel_id: number): Promise<string | null> {
  const row = await db
    .selectFrom('tunnel')
    .select('interface_name')
    .where('tunnel_id', '=', tunnel_id)
    .where('deleted_date', 'is', null)
    .executeTakeFirst()
  return row?.interface_name ?? null
}

export async function existingTunnels(db: ReadDb): Promise<ExistingTunnel[]> {
  const rows = await db
    .selectFrom('tunnel')
    .select([
      'tunnel_id',
      'interface_name',
      'display_name',
      'tunnel_number',
      'tunnel_type_id',
      'local_endpoint',
      'remote_endpoint',
      'ikey',
      'okey',
      'fwmark',
      'is_answered_through',
      'is_enabled',
    ])
    .where('deleted_date', 'is', null)
    .execute()
  const addresses = await db
    .selectFrom('tunnel_address')
    .select(['tunnel_id', 'address', 'peer_address', 'prefix_length'])
    .execute()
  const byTunnel = groupedBy('tunnel_id', addresses)
  return rows.map((row) => ({
    ...row,
    is_answered_through: row.is_answered_through === 1,
    is_enabled: row.is_enabled === 1,
    addresses: byTunnel.get(row.tunnel_id) ?? [],
  }))
}

/** One of the tunnels that are answered through, or undefined. */
export const answeredTunnel = (db: ReadDb): Promise<Pick<TunnelRecord, 'tunnel_id' | 'interface_name'> | undefined> =>
  db
    .selectFrom('tunnel')
    .select(['tunnel_id', 'interface_name'])
    .where('deleted_date', 'is', null)
    .where('is_answered_through', '=', 1)
    .orderBy('tunnel_id')
    .limit(1)
    .executeTakeFirst()

/**
 * Returns the new id, or the one that it gets again. Run it inside a transaction: a tunnel without its addresses is
 * none.
 */
export async function insertTunnel(
  db: WriteDb,
  { addresses, ...tunnel }: NewTunnel,
  reviving?: number,
): Promise<number> {
  const row = rowOf(tunnel)
  if (reviving !== undefined) await insertUnder(db, { table: 'tunnel', key: 'tunnel_id' }, reviving, row)
  const tunnel_id = reviving ?? Number((await db.insertInto('tunnel').values(row).executeTakeFirstOrThrow()).insertId)
  await insertAddresses(db, tunnel_id, addresses)
  return tunnel_id
}

/** Puts `tunnel` in the place of what is stored. Run it inside a transaction. An address that stays keeps its id. */
export async function replaceTunnel(
  db: WriteDb,
  tunnel_id: number,
  { addresses, ...tunnel }: NewTunnel,
): Promise<void> {
  await db.updateTable('tunnel').set(rowOf(tunnel)).where('tunnel_id', '=', tunnel_id).execute()
  const known = await db
    .selectFrom('tunnel_address')
    .select(['tunnel_address_id', 'address'])
    .where('tunnel_id', '=', tunnel_id)
    .execute()
  const ids = new Map(known.map(({ address, tunnel_address_id }) => [address, { tunnel_address_id }]))
  await db.deleteFrom('tunnel_address').where('tunnel_id', '=', tunnel_id).execute()
  await insertAddresses(
    db,
    tunnel_id,
    addresses.map((address) => ({ ...address, ...ids.get(address.address) })),
  )
}

async function insertAddresses(
  db: WriteDb,
  tunnel_id: number,
  addresses: readonly (NewAddress & { tunnel_address_id?: number })[],
): Promise<void> {
  for (const address of addresses)
    await db
      .insertInto('tunnel_address')
      .values({ ...address, tunnel_id, is_primary: address.is_primary ? 1 : 0 })
      .execute()
}

export const markAdopted = async (db: WriteDb, tunnel_id: number): Promise<void> =>
  void (await db.updateTable('tunnel').set({ is_adopted: 1 }).where('tunnel_id', '=', tunnel_id).execute())

export const adoptedTunnels = async (db: ReadDb): Promise<number[]> =>
  (await db.selectFrom('tunnel').select('tunnel_id').where('is_adopted', '=', 1).execute()).map((row) => row.tunnel_id)

export async function markDeleted(db: WriteDb, tunnel_id: number, now: string): Promise<void> {
  await db
    .updateTable('tunnel')
    .set({ deleted_date: now, updated_date: now, is_adopted: 0 })
    .where('tunnel_id', '=', tunnel_id)
    .execute()
  await db.deleteFrom('tunnel_address').where('tunnel_id', '=', tunnel_id).execute()
}

/** One statement, however many they are. */
export async function markApplyStatus(
  db: WriteDb,
  ids: readonly number[],
  mark: ApplyMark,
  now: string,
): Promise<void> {
  await db
    .updateTable('tunnel')
    .set({ ...toRow(mark), updated_date: now })
    .where(isAmong('tunnel_id', ids))
    .execute()
}

const { toRow } = rowsOf(TUNNEL_FIELDS)

const rowOf = (tunnel: Omit<NewTunnel, 'addresses'>): NewTunnelRow => ({ ...toRow(tunnel), deleted_date: null })
