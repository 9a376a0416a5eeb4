// Reads the stored networks. A list costs four queries, however long it is.
import { sql, type SelectQueryBuilder } from 'kysely'
import { NETWORK_FIELDS } from '@panel/shared/api/networks/fields.ts'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { ReadDb } from '../../platform/context.ts'
import { isAmong } from '../../platform/db/among.ts'
import type { Database } from '../../platform/db/database.ts'
import { groupedBy } from '../../platform/db/grouped.ts'
import { rowsOf } from '../../platform/db/row.ts'
import { holds, titleKey } from '../../platform/db/search.ts'
import type { Paging } from '../../platform/http/paging.ts'
import type { NetworkRecord, PathTunnels } from './record.ts'
import type { NetworkRow } from './table.ts'

export interface NetworkFilter {
  readonly search?: string | undefined
  readonly tunnel_id?: number | undefined
  readonly is_enabled?: boolean | undefined
}

type Networks<O> = SelectQueryBuilder<Database, 'network', O>

const living = (db: ReadDb) => db.selectFrom('network').where('deleted_date', 'is', null)

export async function pageOfNetworks(
  db: ReadDb,
  filter: NetworkFilter,
  { limit, offset }: Paging,
): Promise<{ total: number; records: NetworkRecord[] }> {
  const all = matching(living(db), filter)
  const { total } = await all.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await all.selectAll().orderBy('network_id').limit(limit).offset(offset).execute()
  return { total, records: await withLists(db, rows) }
}

function matching<O>(query: Networks<O>, { search, tunnel_id, is_enabled }: NetworkFilter): Networks<O> {
  let all = query
  if (is_enabled !== undefined) all = all.where('is_enabled', '=', is_enabled ? 1 : 0)
  if (tunnel_id !== undefined)
    all = all.where(
      sql<boolean>`exists (select 1 from network_path p where p.network_id = network.network_id and p.tunnel_id = ${tunnel_id})`,
    )
  if (search === undefined || search === '') return all
  const words = ['network_title', 'note', 'destination'] as const
  const inner = sql`a.address`
  const isOwn = sql<boolean>`exists (select 1 from network_address a where a.network_id = network.network_id and ${holds(inner, search)})`
  return all.where((e) => e.or([...words.map((word) => holds(word, search)), isOwn]))
}

/** All living networks, by their ids. */
export const allNetworks = async (db: ReadDb): Promise<NetworkRecord[]> =>
  withLists(db, await living(db).selectAll().orderBy('network_id').execute())

/** Those whose last change has not been seen to end. */
export const pendingNetworks = async (db: ReadDb): Promise<NetworkRecord[]> =>
  withLists(
    db,
    await living(db).selectAll().where('apply_status_id', '=', APPLY_STATUSES.Pending).orderBy('network_id').execute(),
  )

/** Those that have the tunnel as a path. */
export const networksOver = async (db: ReadDb, tunnel_id: number): Promise<NetworkRecord[]> =>
  withLists(db, await matching(living(db), { tunnel_id }).selectAll().orderBy('network_id').execute())

/** A network that was deleted is none. */
export async function findNetwork(db: ReadDb, network_id: number): Promise<NetworkRecord | null> {
  const rows = await living(db).selectAll().where('network_id', '=', network_id).execute()
  return (await withLists(db, rows))[0] ?? null
}

async function withLists(db: ReadDb, rows: readonly NetworkRow[]): Promise<NetworkRecord[]> {
  if (rows.length === 0) return []
  const ofThem = isAmong(
    'network_id',
    rows.map(({ network_id }) => network_id),
  )
  const paths = await db.selectFrom('network_path').selectAll().where(ofThem).orderBy('sort_order').execute()
  const addresses = await db.selectFrom('network_address').selectAll().where(ofThem).orderBy('sort_order').execute()
  const [pathsOf, addressesOf] = [groupedBy('network_id', paths), groupedBy('network_id', addresses)]
  return rows.map((row) => ({
    ...fromRow(row),
    paths: (pathsOf.get(row.network_id) ?? []).map(
      ({ tunnel_id, preference, weight, taken_out_date, failed_date }) => ({
        tunnel_id,
        preference,
        weight,
        taken_out_date,
        failed_date,
      }),
    ),
    own_addresses: (addressesOf.get(row.network_id) ?? []).map(({ address }) => address),
  }))
}

const { fromRow } = rowsOf(NETWORK_FIELDS)

/** The tunnels that these networks have as paths, deleted ones too, beside those of the ids. */
export async function pathTunnels(
  db: ReadDb,
  networks: readonly Pick<NetworkRecord, 'paths'>[],
  ids: readonly number[] = [],
): Promise<PathTunnels> {
  const all = [...new Set([...ids, ...networks.flatMap(({ paths }) => paths.map(({ tunnel_id }) => tunnel_id))])]
  const rows = await db
    .selectFrom('tunnel')
    .select(['tunnel_id', 'interface_name', 'display_name', 'is_enabled', 'deleted_date'])
    .where(isAmong('tunnel_id', all))
    .execute()
  return new Map(
    rows.map(({ deleted_date, is_enabled, ...tunnel }) => [
      tunnel.tunnel_id,
      { ...tunnel, is_enabled: is_enabled === 1, isDeleted: deleted_date !== null },
    ]),
  )
}

/** The one that has the title in any mixture of capitals. */
export async function idOfTitle(db: ReadDb, title: string): Promise<number | null> {
  const row = await living(db).select('network_id').where('title_key', '=', titleKey(title)).executeTakeFirst()
  return row?.network_id ?? null
}
