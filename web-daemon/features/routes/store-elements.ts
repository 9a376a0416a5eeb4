// How much the rules in force take together of the kernel's table.
import { sql } from 'kysely'
import { LOAD_BALANCE_MODES } from '@panel/shared/api/base/lookups.ts'
import { elementsOf } from '@panel/shared/ruleset/elements.ts'
import type { ReadDb } from '../../platform/context.ts'
import { ruleOf, type NamedRoute } from './record.ts'
import { routesOf } from './store.ts'

/** The number of elements of a rule; none if it is not in force. */
export function elementsOfRecord(record: NamedRoute): number {
  const rule = ruleOf(record)
  return rule ? elementsOf(rule) : 0
}

const isPlain = sql<boolean>`r.bind_port_range_end is null
  and r.load_balance_mode_id = ${sql.lit(LOAD_BALANCE_MODES.None)}
  and not exists (select 1 from route_destination d where d.route_rule_id = r.route_rule_id and d.is_backup = 1)`

/**
 * The number of elements of all rules but the one of that id. Most rules have one port and one destination, and only
 * their sources are counted.
 */
export async function elementsOfOthers(db: ReadDb, route_rule_id: number): Promise<number> {
  const sources = sql`(select count(*) from route_allowed_source s where s.route_rule_id = r.route_rule_id)`
  const groups = await db
    .selectFrom('route_rule as r')
    .select([
      sql<number | null>`case when ${isPlain} then null else r.route_rule_id end`.as('wide'),
      sql<number>`sum(1 + ${sources})`.as('elements'),
    ])
    .where('r.deleted_date', 'is', null)
    .where('r.is_enabled', '=', 1)
    .where('r.route_rule_id', '<>', route_rule_id)
    .groupBy('wide')
    .execute()
  const wide = await routesOf(
    db,
    groups.flatMap((group) => group.wide ?? []),
  )
  const plain = groups.find((group) => group.wide === null)?.elements ?? 0
  return plain + wide.reduce((sum, record) => sum + elementsOfRecord(record), 0)
}
