// Reads and writes how destinations are checked, as far as it is part of a rule.
import type { Expression, SqlBool } from 'kysely'
import type { RouteCheck } from '@panel/shared/api/routes/check.ts'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import type { RouteCheckRow, RouteDestinationRow, RouteDestinationStateTable } from './table.ts'

export type DestinationRow = RouteDestinationRow & { readonly state: DestinationState | null }
export type DestinationState = RouteDestinationStateTable['state']

export const destinationsOf = (db: ReadDb, ofRules: Expression<SqlBool>): Promise<DestinationRow[]> =>
  db
    .selectFrom('route_destination')
    .leftJoin(
      'route_destination_state',
      'route_destination_state.route_destination_id',
      'route_destination.route_destination_id',
    )
    .selectAll('route_destination')
    .select('route_destination_state.state')
    .where(ofRules)
    .orderBy('sort_order')
    .execute()

export async function checksOf(db: ReadDb, ofRules: Expression<SqlBool>): Promise<Map<number, RouteCheck>> {
  const rows = await db.selectFrom('route_check').selectAll().where(ofRules).execute()
  return new Map(rows.map((row) => [row.route_rule_id, checkOf(row)]))
}

const checkOf = ({ route_rule_id: _rule, is_enabled, ...check }: RouteCheckRow): RouteCheck => ({
  ...check,
  is_enabled: is_enabled === 1,
})

/** Without checks nothing is known of the destinations. */
export async function writeCheck(db: WriteDb, route_rule_id: number, check: RouteCheck | null): Promise<void> {
  await db.deleteFrom('route_check').where('route_rule_id', '=', route_rule_id).execute()
  if (check)
    await db
      .insertInto('route_check')
      .values({ ...check, route_rule_id, is_enabled: check.is_enabled ? 1 : 0 })
      .execute()
  if (!check?.is_enabled)
    await db
      .deleteFrom('route_destination_state')
      .where('route_destination_id', 'in', (e) =>
        e.selectFrom('route_destination').select('route_destination_id').where('route_rule_id', '=', route_rule_id),
      )
      .execute()
}

/** Drops the states of destinations that no longer exist. Call it once the remaining ones are written. */
export async function dropStatesOfOthers(db: WriteDb): Promise<void> {
  await db
    .deleteFrom('route_destination_state')
    .where('route_destination_id', 'not in', (e) => e.selectFrom('route_destination').select('route_destination_id'))
    .execute()
}

/** Call it once the destinations are gone. */
export async function dropCheck(db: WriteDb, route_rule_id: number): Promise<void> {
  await db.deleteFrom('route_check').where('route_rule_id', '=', route_rule_id).execute()
  await db.deleteFrom('route_destination_event').where('route_rule_id', '=', route_rule_id).execute()
  await dropStatesOfOthers(db)
}
