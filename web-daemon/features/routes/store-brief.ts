// As much of every rule as a list of thousands needs: no destinations, no allowed sources.
import type { ReadDb } from '../../platform/context.ts'
import type { RouteRuleRow } from './table.ts'

const COLUMNS = [
  'route_rule_id',
  'route_rule_title',
  'bind_address',
  'bind_port',
  'bind_port_range_end',
  'route_protocol_id',
] as const satisfies readonly (keyof RouteRuleRow)[]

export type RuleInBrief = Pick<RouteRuleRow, (typeof COLUMNS)[number]>

/** Those that were not deleted, by id; with `isTagged` only those that have a tag. */
export async function rulesInBrief(db: ReadDb, isTagged: boolean): Promise<RuleInBrief[]> {
  const living = db.selectFrom('route_rule').where('deleted_date', 'is', null).select(COLUMNS).orderBy('route_rule_id')
  return (isTagged ? living.where('tags', '!=', '[]') : living).execute()
}
