// Finds, among thousands of rules, the pairs of which one may cover the other: by what SQLite can compare.
import { sql, type RawBuilder } from 'kysely'
import { ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import type { ReadDb } from '../../platform/context.ts'
import type { RouteRecord } from './record.ts'

export interface Pair {
  readonly route_rule_id: number
  /** A rule that listens for all that the other one listens for, sources left aside. */
  readonly covering_id: number
  /** 1 where the covering rule stands earlier, so that the other one can never match; 0 elsewhere. */
  readonly is_earlier: 0 | 1
}

/** Named, or SQLite goes through all rules in force for each that is looked at. */
export const RANGES_IN_FORCE = sql`route_rule indexed by route_rule_ranges where deleted_date is null and is_enabled = 1 and bind_port_range_end is not null`

const IN_FORCE = sql`select * from route_rule where deleted_date is null and is_enabled = 1`

/** Pairs of living rules in force; of those ids, or of all if none are given. */
export function coveringPairs(db: ReadDb, ids: readonly number[] | null): Promise<Pair[]> {
  const some = ids === null ? sql`` : sql`and route_rule_id in (select value from json_each(${JSON.stringify(ids)}))`
  return pairsOf(db, sql`${IN_FORCE} ${some}`)
}

/** The same of one rule as it will be, whatever is stored of it. */
export const coveringOne = (db: ReadDb, rule: RouteRecord): Promise<Pair[]> =>
  pairsOf(
    db,
    sql`select ${rule.route_rule_id} as route_rule_id, ${rule.sort_order} as sort_order,
      ${rule.address_family_id} as address_family_id, ${rule.route_protocol_id} as route_protocol_id,
      ${rule.bind_address} as bind_address, ${rule.bind_interface} as bind_interface,
      ${rule.bind_port} as bind_port, ${rule.bind_port_range_end} as bind_port_range_end`,
  )

function pairsOf(db: ReadDb, rules: RawBuilder<unknown>): Promise<Pair[]> {
  const beside = sql`
    wide.route_rule_id <> narrow.route_rule_id and wide.address_family_id = narrow.address_family_id
    and (wide.route_protocol_id = narrow.route_protocol_id or wide.route_protocol_id = ${ROUTE_PROTOCOLS.Both})
    and (wide.bind_address = narrow.bind_address or wide.bind_address in ('0.0.0.0', '::'))
    and (wide.bind_interface is null or wide.bind_interface = narrow.bind_interface)`
  const pair = sql`select narrow.route_rule_id, wide.route_rule_id as covering_id,
    (wide.sort_order, wide.route_rule_id) < (narrow.sort_order, narrow.route_rule_id) as is_earlier`
  const single = sql`${pair}
    from (${rules}) narrow join (${IN_FORCE}) wide on wide.bind_port = narrow.bind_port
    where ${beside} and wide.bind_port_range_end is null and narrow.bind_port_range_end is null`
  const ranged = sql`${pair}
    from (${rules}) narrow join (select * from ${RANGES_IN_FORCE}) wide
    on wide.bind_port <= narrow.bind_port and wide.bind_port_range_end >= coalesce(narrow.bind_port_range_end, narrow.bind_port)
    where ${beside}`
  const pairs = sql<Pair>`(${single} union all ${ranged})`.as<'pair'>('pair')
  return db.selectFrom(pairs).selectAll().orderBy('route_rule_id').orderBy('covering_id').execute()
}
