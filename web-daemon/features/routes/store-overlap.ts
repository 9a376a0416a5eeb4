// Finds, among thousands of rules, the pairs of which one may cover the other: by what SQLite can compare.
import { sql } from 'kysely'
import { ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import type { ReadDb } from '../../platform/context.ts'

export interface Pair {
  readonly route_rule_id: number
  /** Of a rule that stands earlier and listens for all that the other one listens for, sources left aside. */
  readonly covering_id: number
}

/** Named, or SQLite goes through all rules in force for each that is looked at. */
export const RANGES_IN_FORCE = sql`route_rule indexed by route_rule_ranges where deleted_date is null and is_enabled = 1 and bind_port_range_end is not null`

/** Of living rules in force; of those ids, or of all where none are given. */
export async function coveringPairs(db: ReadDb, ids: readonly number[] | null): Promise<Pair[]> {
  const inForce = sql`deleted_date is null and is_enabled = 1`
  const some =
    ids === null ? sql`` : sql`and later.route_rule_id in (select value from json_each(${JSON.stringify(ids)}))`
  const beside = sql`
    earlier.route_rule_id <> later.route_rule_id and (earlier.sort_order, earlier.route_rule_id) < (later.sort_order, later.route_rule_id)
    and earlier.address_family_id = later.address_family_id
    and (earlier.route_protocol_id = later.route_protocol_id or earlier.route_protocol_id = ${ROUTE_PROTOCOLS.Both})
    and (earlier.bind_address = later.bind_address or earlier.bind_address in ('0.0.0.0', '::'))
    and (earlier.bind_interface is null or earlier.bind_interface = later.bind_interface)`
  const single = sql`select later.route_rule_id, earlier.route_rule_id as covering_id
    from (select * from route_rule where ${inForce}) later join (select * from route_rule where ${inForce}) earlier on earlier.bind_port = later.bind_port
    where ${beside} and earlier.bind_port_range_end is null and later.bind_port_range_end is null ${some}`
  const ranged = sql`select later.route_rule_id, earlier.route_rule_id as covering_id
    from (select * from route_rule where ${inForce}) later join (select * from ${RANGES_IN_FORCE}) earlier
    on earlier.bind_port <= later.bind_port and earlier.bind_port_range_end >= coalesce(later.bind_port_range_end, later.bind_port)
    where ${beside} ${some}`
  const pairs = sql<Pair>`(${single} union all ${ranged})`.as<'pair'>('pair')
  return db.selectFrom(pairs).selectAll().orderBy('route_rule_id').orderBy('covering_id').execute()
}
