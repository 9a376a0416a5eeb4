// Rules that can never match, because an earlier rule takes all that they listen for.
import { contains, parseCidr } from '@panel/shared/address/ip.ts'
import type { ReadDb } from '../../../platform/context.ts'
import type { RouteRecord } from '../record.ts'
import { routesOf } from '../store.ts'
import { coveringPairs } from '../store-overlap.ts'

/** For each shadowed rule the rules that shadow it, by id. `ids` null: of all enabled rules. */
export async function shadowsOf(db: ReadDb, ids: readonly number[] | null): Promise<Map<number, RouteRecord[]>> {
  const pairs = await coveringPairs(db, ids)
  const records = new Map(
    (
      await routesOf(db, [...new Set(pairs.flatMap(({ route_rule_id, covering_id }) => [route_rule_id, covering_id]))])
    ).map((record) => [record.route_rule_id, record]),
  )
  const shadows = new Map<number, RouteRecord[]>()
  for (const { route_rule_id, covering_id } of pairs) {
    const [later, earlier] = [records.get(route_rule_id), records.get(covering_id)]
    if (later && earlier && isCovered(later, earlier))
      shadows.set(route_rule_id, [...(shadows.get(route_rule_id) ?? []), earlier])
  }
  return shadows
}

/**
 * An empty list allows everybody. A limit on connections does not matter here: what exceeds it is dropped and does not
 * reach the later rule.
 */
function isCovered(later: RouteRecord, earlier: RouteRecord): boolean {
  if (earlier.allowed_sources.length === 0) return true
  const wide = earlier.allowed_sources.flatMap(({ cidr }) => parseCidr(cidr) ?? [])
  return (
    later.allowed_sources.length > 0 &&
    later.allowed_sources.every(({ cidr }) => {
      const network = parseCidr(cidr)
      return (
        network !== null &&
        wide.some((other) => other.prefix_length <= network.prefix_length && contains(other, network.base))
      )
    })
  )
}
