// Rules that can never match while they stand behind a rule that takes all that they listen for.
import { contains, parseCidr } from '@panel/shared/address/ip.ts'
import type { ReadDb } from '../../platform/context.ts'
import type { RouteRecord } from '../routes/record.ts'
import { routesOf } from '../routes/store.ts'
import { coveringOne, coveringPairs } from '../routes/store-overlap.ts'

export interface Cover {
  readonly rule: RouteRecord
  /** It stands earlier, and so shadows the rule that it covers. */
  readonly isEarlier: boolean
}

/** For each shadowed rule the rules that shadow it, by id. `ids` null: of all enabled rules. */
export async function findShadows(db: ReadDb, ids: readonly number[] | null): Promise<Map<number, RouteRecord[]>> {
  return new Map([...(await findCovers(db, ids))].map(([id, covers]) => [id, shadowsAmong(covers)]))
}

/** The same of a rule as it will be. */
export async function findShadowsOf(db: ReadDb, rule: RouteRecord): Promise<RouteRecord[]> {
  const pairs = await coveringOne(db, rule)
  const earlier = pairs.filter(({ is_earlier }) => is_earlier === 1).map(({ covering_id }) => covering_id)
  return (await routesOf(db, earlier)).filter((wide) => isCovered(rule, wide))
}

export const shadowsAmong = (covers: readonly Cover[]): RouteRecord[] =>
  covers.filter(({ isEarlier }) => isEarlier).map(({ rule }) => rule)

/** For each rule those that take all that it listens for, wherever they stand. */
export async function findCovers(db: ReadDb, ids: readonly number[] | null): Promise<Map<number, Cover[]>> {
  const pairs = await coveringPairs(db, ids)
  const records = new Map(
    (
      await routesOf(db, [...new Set(pairs.flatMap(({ route_rule_id, covering_id }) => [route_rule_id, covering_id]))])
    ).map((record) => [record.route_rule_id, record]),
  )
  const covers = new Map<number, Cover[]>()
  for (const { route_rule_id, covering_id, is_earlier } of pairs) {
    const [narrow, wide] = [records.get(route_rule_id), records.get(covering_id)]
    if (narrow && wide && isCovered(narrow, wide))
      covers.set(route_rule_id, [...(covers.get(route_rule_id) ?? []), { rule: wide, isEarlier: is_earlier === 1 }])
  }
  return covers
}

/**
 * An empty list allows everybody. A limit on connections does not matter here: what exceeds it is dropped and does not
 * reach the other rule.
 */
function isCovered(narrow: RouteRecord, wide: RouteRecord): boolean {
  if (wide.allowed_sources.length === 0) return true
  const networks = wide.allowed_sources.flatMap(({ cidr }) => parseCidr(cidr) ?? [])
  return (
    narrow.allowed_sources.length > 0 &&
    narrow.allowed_sources.every(({ cidr }) => {
      const network = parseCidr(cidr)
      return (
        network !== null &&
        networks.some((other) => other.prefix_length <= network.prefix_length && contains(other, network.base))
      )
    })
  )
}
