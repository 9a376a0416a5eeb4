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

const hasBackups = sql<boolean>`exists (select 1 from route_destination d
  where d.route_rule_id = route_rule.route_rule_id and d.is_backup = 1)`

/**
 * The number of elements of all rules but the one of that id. Most rules have one port and one destination, and only
 * their sources are counted.
 */
export async function elementsOfOthers(db: ReadDb, route_rule_id: number): Promise<number> {
  const others = () =>
    db
      .selectFrom('route_rule')
      .where('route_rule.deleted_date', 'is', null)
      .where('route_rule.is_enabled', '=', 1)
      .where('route_rule.route_rule_id', '<>', route_rule_id)
  const wide = await others()
    .select('route_rule.route_rule_id')
    .where((e) =>
      e.or([
        e('bind_port_range_end', 'is not', null),
        e('load_balance_mode_id', '<>', LOAD_BALANCE_MODES.None),
        hasBackups,
      ]),
    )
    .execute()
  const plain = others()
    .where('bind_port_range_end', 'is', null)
    .where('load_balance_mode_id', '=', LOAD_BALANCE_MODES.None)
    .where((e) => e.not(hasBackups))
  const { rules } = await plain.select((e) => e.fn.countAll<number>().as('rules')).executeTakeFirstOrThrow()
  const { sources } = await plain
    .innerJoin('route_allowed_source', 'route_allowed_source.route_rule_id', 'route_rule.route_rule_id')
    .select((e) => e.fn.countAll<number>().as('sources'))
    .executeTakeFirstOrThrow()
  const records = await routesOf(
    db,
    wide.map((row) => row.route_rule_id),
  )
  return rules + sources + records.reduce((sum, record) => sum + elementsOfRecord(record), 0)
}
