// Reads the stored relay rules. A list costs five queries, however long it is.
import { sql } from 'kysely'
import { ADDRESS_FAMILIES } from '@panel/shared/api/base/lookups.ts'
import { U32_MAX } from '@panel/shared/schema.ts'
import type { ReadDb } from '../../platform/context.ts'
import { isAmong } from '../../platform/db/among.ts'
import { groupedBy } from '../../platform/db/grouped.ts'
import { holds, titleKey } from '../../platform/db/search.ts'
import type { Paging } from '../../platform/http/paging.ts'
import type { RouteRecord } from './record.ts'
import { RANGES_IN_FORCE } from './store-overlap.ts'
import { inOrder, living, withLists, type Rules } from './store-record.ts'

export interface RouteFilter {
  readonly search?: string | undefined
  readonly route_protocol_id?: number | undefined
  readonly nat_mode_id?: number | undefined
  readonly route_rule_ids?: readonly number[] | undefined
  readonly is_enabled?: boolean | undefined
}

export async function pageOfRoutes(
  db: ReadDb,
  filter: RouteFilter,
  { limit, offset }: Paging,
): Promise<{ total: number; records: RouteRecord[] }> {
  const all = matching(living(db), filter)
  const { total } = await all.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { total, records: await withLists(db, await inOrder(all.selectAll()).limit(limit).offset(offset).execute()) }
}

function matching<O>(query: Rules<O>, { search, ...exact }: RouteFilter): Rules<O> {
  let all = query
  for (const column of ['route_protocol_id', 'nat_mode_id'] as const) {
    const wanted = exact[column]
    if (wanted !== undefined) all = all.where(column, '=', wanted)
  }
  if (exact.route_rule_ids) all = all.where(isAmong('route_rule_id', exact.route_rule_ids))
  if (exact.is_enabled !== undefined) all = all.where('is_enabled', '=', exact.is_enabled ? 1 : 0)
  if (search === undefined || search === '') return all
  const words = ['title_key', 'description', 'tags', 'bind_address', sql<string>`cast(bind_port as text)`] as const
  const end = sql`d.address || ':' || d.port`
  const goesThere = sql<boolean>`exists (select 1 from route_destination d where d.route_rule_id = route_rule.route_rule_id and ${holds(end, search)})`
  return all.where((e) => e.or([...words.map((word) => holds(word, search)), goesThere]))
}

/** All living rules in their order. */
export async function allRoutes(db: ReadDb): Promise<RouteRecord[]> {
  return withLists(db, await inOrder(living(db).selectAll()).execute())
}

/** The living rules with an address that follows an interface, in their order. */
export async function followingRoutes(db: ReadDb): Promise<RouteRecord[]> {
  const following = living(db).where((e) =>
    e.or([e('bind_address_interface', 'is not', null), e('snat_address_interface', 'is not', null)]),
  )
  return withLists(db, await inOrder(following.selectAll()).execute())
}

/** The living rules of these ids, in their order. */
export async function routesOf(db: ReadDb, ids: readonly number[]): Promise<RouteRecord[]> {
  return ids.length === 0
    ? []
    : withLists(db, await inOrder(living(db).selectAll()).where(isAmong('route_rule_id', ids)).execute())
}

/** A rule that was deleted is none. */
export async function findRoute(db: ReadDb, route_rule_id: number): Promise<RouteRecord | null> {
  return (await routesOf(db, [route_rule_id]))[0] ?? null
}

/** The record of a rule that has just been stored. */
export async function storedRoute(db: ReadDb, route_rule_id: number): Promise<RouteRecord> {
  const record = await findRoute(db, route_rule_id)
  if (!record) throw new Error(`Rule ${route_rule_id} was stored and is not there`)
  return record
}

/** Living, in force, and bound to a port within the range. */
export async function enabledOnPorts(db: ReadDb, first: number, last: number): Promise<RouteRecord[]> {
  const begins = sql`select route_rule_id from route_rule where deleted_date is null and is_enabled = 1 and bind_port between ${first} and ${last}`
  const reaches = sql`select route_rule_id from ${RANGES_IN_FORCE} and bind_port < ${first} and bind_port_range_end >= ${first}`
  return withLists(
    db,
    await inOrder(
      db
        .selectFrom('route_rule')
        .selectAll()
        .where(sql<boolean>`route_rule_id in (${begins} union all ${reaches})`),
    ).execute(),
  )
}

/** How many living rules are in force, of each family. */
export async function countInForce(db: ReadDb): Promise<{ ipv4: number; ipv6: number }> {
  const rows = await living(db)
    .select(['address_family_id', (e) => e.fn.countAll<number>().as('count')])
    .where('is_enabled', '=', 1)
    .groupBy('address_family_id')
    .execute()
  const of = (family: number): number => rows.find(({ address_family_id }) => address_family_id === family)?.count ?? 0
  return { ipv4: of(ADDRESS_FAMILIES.IPv4), ipv6: of(ADDRESS_FAMILIES.IPv6) }
}

export async function enabledIds(db: ReadDb): Promise<number[]> {
  const rows = await living(db).select('route_rule_id').where('is_enabled', '=', 1).execute()
  return rows.map(({ route_rule_id }) => route_rule_id)
}

/** The one that has the title in any mixture of capitals. */
export async function idOfTitle(db: ReadDb, title: string): Promise<number | null> {
  const row = await living(db).select('route_rule_id').where('title_key', '=', titleKey(title)).executeTakeFirst()
  return row?.route_rule_id ?? null
}

/** What says where a rule's packets go. */
export interface RouteEnds {
  readonly tunnel_id: number | null
  readonly fwmark: number | null
  readonly destinations: readonly { readonly address: string; readonly is_enabled: boolean }[]
}

type LivingEnds = RouteEnds & { readonly route_rule_id: number; readonly bind_interface: string | null }

/** The ends of all living rules. */
export async function routeEnds(db: ReadDb): Promise<LivingEnds[]> {
  const rules = await living(db).select(['route_rule_id', 'tunnel_id', 'fwmark', 'bind_interface']).execute()
  const rows = await db
    .selectFrom('route_destination')
    .select(['route_rule_id', 'address', 'is_enabled'])
    .orderBy('sort_order')
    .execute()
  const destinations = groupedBy('route_rule_id', rows)
  return rules.map((rule) => ({
    ...rule,
    destinations: (destinations.get(rule.route_rule_id) ?? []).map(({ address, is_enabled }) => ({
      address,
      is_enabled: is_enabled === 1,
    })),
  }))
}

export interface Titled {
  readonly route_rule_id: number
  readonly route_rule_title: string
}

const titles = (db: ReadDb) => inOrder(living(db).select(['route_rule_id', 'route_rule_title']))

export const allTitles = (db: ReadDb): Promise<Titled[]> => titles(db).execute()

/** The titles of those of the ids that living rules have. */
export const titlesOf = (db: ReadDb, ids: readonly number[]): Promise<Titled[]> =>
  titles(db).where(isAmong('route_rule_id', ids)).execute()

/** How many living rules there are. */
export async function countRoutes(db: ReadDb): Promise<number> {
  const { total } = await living(db)
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

export async function places(db: ReadDb): Promise<{ route_rule_id: number; sort_order: number }[]> {
  return inOrder(living(db).select(['route_rule_id', 'sort_order'])).execute()
}

/**
 * The next id that no rule has ever had, and the place behind all others. Where the last place is taken the two share
 * it, and the higher id stands behind.
 */
export async function nextPlace(db: ReadDb): Promise<{ route_rule_id: number; sort_order: number }> {
  const found = await db
    .selectFrom('route_rule')
    .select((e) => [
      e.fn.max('route_rule_id').as('id'),
      living(db)
        .select((inner) => inner.fn.max('sort_order').as('last'))
        .as('place'),
    ])
    .executeTakeFirst()
  return {
    route_rule_id: Number(found?.id ?? 0) + 1,
    sort_order: Math.min(Number(found?.place ?? 0) + 10, U32_MAX),
  }
}
