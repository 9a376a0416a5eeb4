// Reads and writes what the checks of destinations came to.
import { sql } from 'kysely'
import type { Message } from '@panel/shared/messages/message.ts'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { isAmong } from '../../platform/db/among.ts'
import { fromStoredJson } from '../../platform/db/stored-json.ts'
import type { DestinationState } from '../routes/store-checks.ts'

export interface StateChange {
  readonly route_rule_id: number
  readonly route_destination_id: number
  readonly from: string
  readonly to: string
  readonly reason: Message
  readonly flips: number
}

/** So many events of a rule are kept. */
const EVENTS_KEPT = 200

/** What the checks came to. Run it inside a transaction. */
export async function storeStates(db: WriteDb, changes: readonly StateChange[], now: string): Promise<void> {
  for (const { route_destination_id, to, reason, flips } of changes) {
    const row = { state: to as DestinationState, reason: JSON.stringify(reason), since: now, flips }
    await db
      .insertInto('route_destination_state')
      .values({ route_destination_id, ...row })
      .onConflict((conflict) => conflict.column('route_destination_id').doUpdateSet(row))
      .execute()
  }
  await storeEvents(db, changes, now)
}

export async function storeEvents(
  db: WriteDb,
  changes: readonly Omit<StateChange, 'flips'>[],
  now: string,
): Promise<void> {
  for (const { route_rule_id, route_destination_id, from, to, reason } of changes)
    await db
      .insertInto('route_destination_event')
      .values({
        route_rule_id,
        route_destination_id,
        from_state: from,
        to_state: to,
        reason: JSON.stringify(reason),
        created_date: now,
      })
      .execute()
  for (const route_rule_id of new Set(changes.map((one) => one.route_rule_id)))
    await sql`delete from route_destination_event where route_rule_id = ${route_rule_id} and event_id <=
      (select event_id from route_destination_event where route_rule_id = ${route_rule_id}
       order by event_id desc limit 1 offset ${EVENTS_KEPT})`.execute(db)
}

export interface StoredEvent {
  readonly event_id: number
  readonly route_destination_id: number
  readonly from_state: string
  readonly to_state: string
  readonly reason: Message
  readonly created_date: string
}

/** The newest first. */
export async function eventsOf(db: ReadDb, route_rule_id: number, limit: number): Promise<StoredEvent[]> {
  const rows = await db
    .selectFrom('route_destination_event')
    .selectAll()
    .where('route_rule_id', '=', route_rule_id)
    .orderBy('event_id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ route_rule_id: _rule, reason, ...row }) => ({ ...row, reason: fromStoredJson(reason) as Message }))
}

export interface StoredState {
  readonly state: DestinationState
  readonly reason: Message
  readonly since: string
}

/** Each with the rule that its destination belongs to. */
const statesWithRules = (db: ReadDb) =>
  db
    .selectFrom('route_destination_state')
    .innerJoin(
      'route_destination',
      'route_destination.route_destination_id',
      'route_destination_state.route_destination_id',
    )

export async function statesOf(db: ReadDb, route_rule_id: number): Promise<Map<number, StoredState>> {
  const rows = await statesWithRules(db)
    .select(['route_destination_state.route_destination_id', 'state', 'reason', 'since'])
    .where('route_rule_id', '=', route_rule_id)
    .execute()
  return new Map(
    rows.map(({ route_destination_id, reason, ...row }) => [
      route_destination_id,
      { ...row, reason: fromStoredJson(reason) as Message },
    ]),
  )
}

/** When each destination of a rule went from up to down or back since then. */
export async function flipsSince(db: ReadDb, route_rule_id: number, since: string): Promise<Map<number, number[]>> {
  const rows = await db
    .selectFrom('route_destination_event')
    .select(['route_destination_id', 'created_date'])
    .where('route_rule_id', '=', route_rule_id)
    .where('created_date', '>=', since)
    .where('from_state', 'in', ['up', 'down'])
    .where('to_state', 'in', ['up', 'down'])
    .whereRef('from_state', '<>', 'to_state')
    .orderBy('event_id')
    .execute()
  const flips = new Map<number, number[]>()
  for (const { route_destination_id, created_date } of rows)
    flips.set(route_destination_id, [...(flips.get(route_destination_id) ?? []), Date.parse(created_date)])
  return flips
}

/** Why each destination of these rules is down that is. */
export async function reasonsOfDown(db: ReadDb, ids: readonly number[]): Promise<Map<number, Message>> {
  const rows = await statesWithRules(db)
    .select(['route_destination_state.route_destination_id', 'reason'])
    .where('route_destination_state.state', '=', 'down')
    .where(isAmong('route_rule_id', ids))
    .execute()
  return new Map(
    rows.map(({ route_destination_id, reason }) => [route_destination_id, fromStoredJson(reason) as Message]),
  )
}
