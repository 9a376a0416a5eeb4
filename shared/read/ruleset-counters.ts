// The counters of our rules from a listing, and the number that the kernel gave our table when it was made.
import type { RelayCounters } from '../model/ruleset.ts'
import { COUNTER_NAME } from '../render/ruleset-table.ts'
import { numberIn, objectsIn, textIn } from './nft-json.ts'

/** `handle` null: our table is not there. nft may list in several documents, one a line. */
export function readCounters(listed: string): { handle: number | null; counters: RelayCounters[] } {
  const found = new Map<number, RelayCounters>()
  let handle: number | null = null
  for (const [kind, object] of listed.split('\n').filter((line) => line.trim() !== '').flatMap(objectsIn)) {
    if (kind === 'table' && textIn(object, 'name') === 'panel') handle = numberIn(object, 'handle')
    const [, id, way] = COUNTER_NAME.exec(kind === 'counter' ? textIn(object, 'name') : '') ?? []
    if (id === undefined) continue
    const before = found.get(Number(id)) ?? { route_rule_id: Number(id), tx_bytes: 0, tx_packets: 0, rx_bytes: 0, rx_packets: 0 }
    found.set(Number(id), { ...before, [`${way}_bytes`]: numberIn(object, 'bytes'), [`${way}_packets`]: numberIn(object, 'packets') })
  }
  return { handle, counters: [...found.values()].sort((a, b) => a.route_rule_id - b.route_rule_id) }
}
