// Reads and writes the stored relay rules. A list costs five queries, however long it is.
import { sql, type SelectQueryBuilder } from 'kysely'
import { STORED_ROUTE_FIELDS } from '@panel/shared/api/routes/fields.ts'
import { ADDRESS_FAMILIES } from '@panel/shared/api/base/lookups.ts'
import { U32_MAX } from '@panel/shared/schema.ts'
import type { ApplyMark } from '../../change/resource.ts'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { groupedBy } from '../../platform/db/grouped.ts'
import { rowsOf } from '../../platform/db/row.ts'
import { holds } from '../../platform/db/search.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Paging } from '../../platform/http/paging.ts'
import {
  identityOf,
  type NamedRoute,
  type NewDestination,
  type NewRoute,
  type NewSource,
  type RouteRecord,
} from './record.ts'
import {
  checksOf,
  destinationsOf,
  dropCheck,
  dropStatesOfOthers,
  writeCheck,
  type DestinationRow,
} from './store-checks.ts'
import { RANGES_IN_FORCE } from './store-overlap.ts'
import type { RouteAllowedSourceRow, RouteRuleRow } from './table.ts'

export interface RouteFilter {
  readonly search?: string | undefined
  readonly route_protocol_id?: number | undefined
  readonly nat_mode_id?: number | undefined
  readonly route_rule_ids?: readonly number[] | undefined
  readonly is_enabled?: boolean | undefined
}

type Rules<O> = SelectQueryBuilder<Database, 'route_rule', O>

const living = (db: ReadDb) => db.selectFrom('route_rule').where('deleted_date', 'is', null)
/** However many they are: SQLite takes only so many variables. */
const isAmong = (ids: readonly number[]) =>
  sql<boolean>`route_rule_id in (select value from json_each(${JSON.stringify(ids)}))`
/** Of two rules that match, the one that stands first wins (decisions.md, F10). */
const inOrder = <O>(query: Rules<O>): Rules<O> => query.orderBy('sort_order').orderBy('route_rule_id')

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
  if (exact.route_rule_ids) all = all.where(isAmong(exact.route_rule_ids))
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

/** The living rules of these ids, in their order. */
export async function routesOf(db: ReadDb, ids: readonly number[]): Promise<RouteRecord[]> {
  return ids.length === 0 ? [] : withLists(db, await inOrder(living(db).selectAll()).where(isAmong(ids)).execute())
}

/** A rule that was deleted is none. */
export async function findRoute(db: ReadDb, route_rule_id: number): Promise<RouteRecord | null> {
  return (await routesOf(db, [route_rule_id]))[0] ?? null
}

/** Of a rule that has just been stored. */
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

/** Of all living rules. */
export async function routeEnds(db: ReadDb): Promise<(RouteEnds & { readonly route_rule_id: number })[]> {
  const rules = await living(db).select(['route_rule_id', 'tunnel_id', 'fwmark']).execute()
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

export async function allTitles(db: ReadDb): Promise<{ route_rule_id: number; route_rule_title: string }[]> {
  return inOrder(living(db).select(['route_rule_id', 'route_rule_title'])).execute()
}

export async function places(db: ReadDb): Promise<{ route_rule_id: number; sort_order: number }[]> {
  return inOrder(living(db).select(['route_rule_id', 'sort_order'])).execute()
}

/**
 * The next id that no rule has ever had, and the place behind all others. Where the last place is taken the two share
 * it, and the higher id stands behind.
 */
export async function nextPlace(db: ReadDb): Promise<{ route_rule_id: number; sort_order: number }> {
  const ids = await db
    .selectFrom('route_rule')
    .select((e) => e.fn.max('route_rule_id').as('last'))
    .executeTakeFirst()
  const orders = await living(db)
    .select((e) => e.fn.max('sort_order').as('last'))
    .executeTakeFirst()
  return {
    route_rule_id: Number(ids?.last ?? 0) + 1,
    sort_order: Math.min(Number(orders?.last ?? 0) + 10, U32_MAX),
  }
}

/** Run it inside a transaction: a rule without its destinations is none. */
export async function insertRoute(
  db: WriteDb,
  { route_rule_id, destinations, allowed_sources, check, ...rule }: NamedRoute,
): Promise<void> {
  await db
    .insertInto('route_rule')
    .values({ ...rowOf(rule), route_rule_id, deleted_date: null })
    .execute()
  await insertLists(db, route_rule_id, destinations, allowed_sources)
  await writeCheck(db, route_rule_id, check)
}

/**
 * Puts `rule` in the place of what is stored. Run it inside a transaction. A destination or source that stays keeps its
 * id.
 */
export async function replaceRoute(
  db: WriteDb,
  { route_rule_id, destinations, allowed_sources, check, ...rule }: NamedRoute,
): Promise<void> {
  await db.updateTable('route_rule').set(rowOf(rule)).where('route_rule_id', '=', route_rule_id).execute()
  const ids = await db
    .selectFrom('route_destination')
    .select(['route_destination_id', 'address', 'port', 'hostname', 'hostname_policy'])
    .where('route_rule_id', '=', route_rule_id)
    .execute()
  const sources = await db
    .selectFrom('route_allowed_source')
    .select(['route_allowed_source_id', 'cidr'])
    .where('route_rule_id', '=', route_rule_id)
    .execute()
  await dropLists(db, route_rule_id)
  const kept = new Map(ids.map(({ route_destination_id, ...one }) => [identityOf(one), { route_destination_id }]))
  const keptSources = new Map(sources.map(({ route_allowed_source_id, cidr }) => [cidr, { route_allowed_source_id }]))
  const named = destinations.map((one) => ({ ...one, ...kept.get(identityOf(one)) }))
  await insertLists(
    db,
    route_rule_id,
    named,
    allowed_sources.map((one) => ({ ...one, ...keptSources.get(one.cidr) })),
  )
  await writeCheck(db, route_rule_id, check)
  await dropStatesOfOthers(db)
}

async function insertLists(
  db: WriteDb,
  route_rule_id: number,
  destinations: readonly NewDestination[],
  sources: readonly NewSource[],
): Promise<void> {
  for (const one of destinations)
    await db.insertInto('route_destination').values(destinationRow(route_rule_id, one)).execute()
  for (const [sort_order, one] of sources.entries())
    await db
      .insertInto('route_allowed_source')
      .values({ ...one, route_rule_id, sort_order })
      .execute()
}

const destinationRow = (route_rule_id: number, { state: _state, ...one }: NewDestination) => ({
  ...one,
  route_rule_id,
  is_enabled: one.is_enabled ? 1 : 0,
  is_backup: one.is_backup ? 1 : 0,
})

async function dropLists(db: WriteDb, route_rule_id: number): Promise<void> {
  await db.deleteFrom('route_destination').where('route_rule_id', '=', route_rule_id).execute()
  await db.deleteFrom('route_allowed_source').where('route_rule_id', '=', route_rule_id).execute()
}

/** Of a rule that never came to be: no trace of it stays, and its id is free. Run it inside a transaction. */
export async function removeRoute(db: WriteDb, route_rule_id: number): Promise<void> {
  await dropLists(db, route_rule_id)
  await dropCheck(db, route_rule_id)
  for (const table of ['route_total', 'route_bucket', 'route_rule'] as const)
    await db.deleteFrom(table).where('route_rule_id', '=', route_rule_id).execute()
}

export async function markDeleted(db: WriteDb, route_rule_id: number, now: string): Promise<void> {
  await db
    .updateTable('route_rule')
    .set({ deleted_date: now, updated_date: now })
    .where('route_rule_id', '=', route_rule_id)
    .execute()
  await dropLists(db, route_rule_id)
  await dropCheck(db, route_rule_id)
}

/** One statement, however many they are. */
export async function markApplied(db: WriteDb, ids: readonly number[], mark: ApplyMark, now: string): Promise<void> {
  await db
    .updateTable('route_rule')
    .set({ ...toRow(mark), updated_date: now })
    .where(isAmong(ids))
    .execute()
}

/** One statement, however many they are. */
export async function setPlaces(
  db: WriteDb,
  wanted: readonly { route_rule_id: number; sort_order: number }[],
): Promise<void> {
  const places = JSON.stringify(wanted.map(({ route_rule_id, sort_order }) => [route_rule_id, sort_order]))
  await sql`update route_rule set sort_order = place.sort_order
    from (select json_extract(value, '$[0]') as id, json_extract(value, '$[1]') as sort_order from json_each(${places})) as place
    where route_rule.route_rule_id = place.id`.execute(db)
}

/** One statement, however many they are. */
export async function setFastPath(
  db: WriteDb,
  wanted: readonly Pick<RouteRecord, 'route_rule_id' | 'fast_path_state'>[],
): Promise<void> {
  const states = JSON.stringify(wanted.map(({ route_rule_id, fast_path_state }) => [route_rule_id, fast_path_state]))
  await sql`update route_rule set fast_path_state = json_extract(one.value, '$[1]')
    from json_each(${states}) as one
    where route_rule.route_rule_id = json_extract(one.value, '$[0]')`.execute(db)
}

export const titleKey = (title: string): string => title.normalize('NFC').toLowerCase()

const { toRow, fromRow } = rowsOf(STORED_ROUTE_FIELDS)

const rowOf = (rule: Omit<NewRoute, 'destinations' | 'allowed_sources' | 'check'>) => ({
  ...toRow(rule),
  title_key: titleKey(rule.route_rule_title),
})

async function withLists(db: ReadDb, rows: readonly RouteRuleRow[]): Promise<RouteRecord[]> {
  if (rows.length === 0) return []
  const ofThem = isAmong(rows.map(idOf))
  const destinations = groupedBy('route_rule_id', await destinationsOf(db, ofThem))
  const sources = await db.selectFrom('route_allowed_source').selectAll().where(ofThem).orderBy('sort_order').execute()
  const sourcesOf = groupedBy('route_rule_id', sources)
  const checks = await checksOf(db, ofThem)
  return rows.map((row) => ({
    ...recordOf(row, destinations.get(row.route_rule_id) ?? [], sourcesOf.get(row.route_rule_id) ?? []),
    check: checks.get(row.route_rule_id) ?? null,
  }))
}

const idOf = ({ route_rule_id }: { route_rule_id: number }): number => route_rule_id

function recordOf(
  row: RouteRuleRow,
  destinations: readonly DestinationRow[],
  sources: readonly RouteAllowedSourceRow[],
): Omit<RouteRecord, 'check'> {
  return {
    ...fromRow(row),
    destinations: destinations.map(({ route_rule_id: _rule, state, ...one }) => ({
      ...one,
      is_enabled: one.is_enabled === 1,
      is_backup: one.is_backup === 1,
      state: state ?? 'unknown',
    })),
    allowed_sources: sources.map(({ route_allowed_source_id, cidr, description }) => ({
      route_allowed_source_id,
      cidr,
      description,
    })),
  }
}
