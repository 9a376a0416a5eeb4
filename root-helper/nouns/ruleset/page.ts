// Pages of what has the number of a rule, each as long as a line of the protocol allows.
import { MAX_LINE_BYTES } from '@panel/shared/rpc/framing.ts'

/** A third of a line for each list leaves room for the rest of the answer. */
const PAGE_BYTES = MAX_LINE_BYTES / 3

interface Numbered {
  readonly route_rule_id: number
}

export const byId = (a: Numbered, b: Numbered): number => a.route_rule_id - b.route_rule_id

/** A page: as many as a line holds, in the order of their ids. */
export function page<T extends Numbered>(
  all: readonly T[],
  { route_rule_ids = [], from_id }: { readonly route_rule_ids?: readonly number[]; readonly from_id: number },
): { items: T[]; next_id: number | null } {
  const wanted = new Set(route_rule_ids)
  const items: T[] = []
  let bytes = 0
  for (const item of all) {
    if (item.route_rule_id < from_id || (wanted.size > 0 && !wanted.has(item.route_rule_id))) continue
    bytes += JSON.stringify(item).length
    if (bytes > PAGE_BYTES) return { items, next_id: item.route_rule_id }
    items.push(item)
  }
  return { items, next_id: null }
}
