// Stored relay rules as records, with all that belongs to each.
import type { SelectQueryBuilder } from 'kysely'
import { STORED_ROUTE_FIELDS } from '@panel/shared/api/routes/fields.ts'
import type { ReadDb } from '../../platform/context.ts'
import { isAmong } from '../../platform/db/among.ts'
import type { Database } from '../../platform/db/database.ts'
import { groupedBy } from '../../platform/db/grouped.ts'
import { rowsOf } from '../../platform/db/row.ts'
import { titleKey } from '../../platform/db/search.ts'
import type { NewRoute, RouteRecord } from './record.ts'
import { checksOf, destinationsOf, type DestinationRow } from './store-checks.ts'
import type { RouteAllowedSourceRow, RouteRuleRow } from './table.ts'

export type Rules<O> = SelectQueryBuilder<Database, 'route_rule', O>

export const living = (db: ReadDb) => db.selectFrom('route_rule').where('deleted_date', 'is', null)
/** Orders rules: the one that stands first wins, if two match (decisions.md, F10). */
export const inOrder = <O>(query: Rules<O>): Rules<O> => query.orderBy('sort_order').orderBy('route_rule_id')

const { toRow, fromRow } = rowsOf(STORED_ROUTE_FIELDS)
export { toRow }

export const rowOf = (rule: Omit<NewRoute, 'destinations' | 'allowed_sources' | 'check'>) => ({
  ...toRow(rule),
  title_key: titleKey(rule.route_rule_title),
})

export async function withLists(db: ReadDb, rows: readonly RouteRuleRow[]): Promise<RouteRecord[]> {
  if (rows.length === 0) return []
  const ofThem = isAmong('route_rule_id', rows.map(idOf))
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
