// Rules that can never match, because one that stands earlier takes all that they listen for.
import { contains, parseCidr } from '@panel/shared/address/ip.ts'
import type { ReadDb } from '../../../platform/context.ts'
import type { RouteRecord } from '../record.ts'
import { routesOf } from '../store.ts'
import { coveringPairs } from '../store-overlap.ts'

/** The rules by which each is shadowed, by its id; a rule that is not is left out. `ids` null: of all rules in force. */
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

/** An empty list is everybody; whoever is limited still has the connections that are too many, which are then dropped. */
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
