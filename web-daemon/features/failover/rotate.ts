// Takes destinations out of rotation and puts them back, as their checks say: stored first, with what follows from it,
// then carried out, so that a daemon that ends in between is followed by one that finishes it.
import type { RouteCheck } from '@panel/shared/api/routes/check.ts'
import { sameState } from '@panel/shared/change/change.ts'
import type { CommandContext } from '../../platform/context.ts'
import type { StoredEvents } from '../../platform/events/bus.ts'
import { reapplyRules } from '../routes/change.ts'
import { endConnections } from '../routes/end-connections.ts'
import { ruleOf, type DestinationRecord, type RouteRecord } from '../routes/record.ts'
import { endOf } from '../routes/rotation-warnings.ts'
import { routesOf } from '../routes/store.ts'
import { storeStates, type StateChange } from './store.ts'
import type { Accounting } from '../routes/accounting.ts'

interface Rotated {
  /** The rules whose rotation changed. */
  readonly moved: readonly RouteRecord[]
  /** Whether the connections are ended that were to be. */
  readonly areEnded: boolean
}
const NOTHING: Rotated = { moved: [], areEnded: true }

/** Call it inside `inTurn`. */
export async function rotate(
  context: CommandContext,
  traffic: Accounting,
  decided: readonly StateChange[],
): Promise<Rotated> {
  const { db, now } = context
  const ids = [...new Set(decided.map(({ route_rule_id }) => route_rule_id))]
  const before = await routesOf(db, ids)
  const changes = decided.flatMap((one) => stillDue(before, one))
  if (changes.length === 0) return NOTHING
  await db.transaction().execute(async (transaction) => {
    await storeStates(transaction, changes, now().toISOString())
    await context.publishIn(
      transaction,
      'destination.state',
      changes.flatMap((one) => eventOf(before, one)),
    )
  })
  const was = new Map(before.map((record) => [record.route_rule_id, ruleOf(record)]))
  const after = await routesOf(db, ids)
  const moved = after.filter((record) => !sameState(was.get(record.route_rule_id) ?? null, ruleOf(record)))
  for (const one of changes) noteChange(context, after, one)
  if (moved.length === 0) {
    context.publish('routes.changed', { route_rule_ids: ids })
    return NOTHING
  }
  await reapplyRules(context, traffic, moved)
  let areEnded = true
  for (const record of moved)
    if ((await endConnections(context, record, fallenIn(record, changes))) === null) areEnded = false
  return { moved, areEnded }
}

type Place = Pick<StateChange, 'route_rule_id' | 'route_destination_id'>

function find(records: readonly RouteRecord[], { route_rule_id, route_destination_id }: Place) {
  const record = records.find((one) => one.route_rule_id === route_rule_id)
  return { record, destination: record?.destinations.find((one) => one.route_destination_id === route_destination_id) }
}

/** The rule may have been changed since it was decided. */
function stillDue(records: readonly RouteRecord[], change: StateChange): StateChange[] {
  const { record, destination } = find(records, change)
  if (!record?.check?.is_enabled || !destination || destination.state === change.to) return []
  return [{ ...change, from: destination.state }]
}

function eventOf(records: readonly RouteRecord[], change: StateChange): StoredEvents['destination.state'][] {
  const { record, destination } = find(records, change)
  if (!record || !destination) return []
  const { route_destination_id, from, to, reason } = change
  return [{ route_destination_id, title: record.route_rule_title, destination: endOf(destination), from, to, reason }]
}

function noteChange({ note }: CommandContext, records: readonly RouteRecord[], change: StateChange): void {
  const { destination: one } = find(records, change)
  note.operation(
    `rule ${change.route_rule_id}, destination ${one?.address ?? ''} port ${one?.port ?? ''}: ${change.from} -> ${change.to}: ${change.reason.message}`,
  )
}

const fallenIn = (record: RouteRecord, changes: readonly StateChange[]): DestinationRecord[] =>
  record.destinations.filter((one) =>
    changes.some(({ route_destination_id, to }) => route_destination_id === one.route_destination_id && to === 'down'),
  )

export type Checked = RouteRecord & { readonly check: RouteCheck }
export const isChecked = (record: RouteRecord): record is Checked => record.check?.is_enabled === true
