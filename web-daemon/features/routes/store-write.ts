// Writes relay rules with all that belongs to each.
import { sql } from 'kysely'
import type { ApplyMark } from '../../change/resource.ts'
import type { WriteDb } from '../../platform/context.ts'
import { isAmong } from '../../platform/db/among.ts'
import { insertUnder } from '../../platform/db/revive.ts'
import { identityOf, type NamedRoute, type NewDestination, type NewSource, type RouteRecord } from './record.ts'
import { dropCheck, dropStatesOfOthers, writeCheck } from './store-checks.ts'
import { rowOf, toRow } from './store-record.ts'

/** Run it inside a transaction: a rule without its destinations is none. */
export async function insertRoute(
  db: WriteDb,
  { route_rule_id, destinations, allowed_sources, check, ...rule }: NamedRoute,
): Promise<void> {
  await insertUnder(db, { table: 'route_rule', key: 'route_rule_id' }, route_rule_id, rowOf(rule))
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

/** Removes a rule that never came to be: no trace of it stays, and its id is free. Run it inside a transaction. */
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
    .where(isAmong('route_rule_id', ids))
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
