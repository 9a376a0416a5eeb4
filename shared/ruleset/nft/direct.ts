// Which changes of our table are counters and elements alone. Root sends those to the kernel itself; what has to be
// compiled goes by nft. Pure.
import type { TableChange } from './change.ts'
import type { Table } from './table.ts'

/** So many elements and counters fit into one datagram; more of them take nft longer than it takes to start. */
export const DIRECT_MAX = 500

/**
 * `found` is what the change begins from: its constant chains are written out in every change, and stay as they are.
 */
export function isDirect(change: TableChange, found: Table): boolean {
  const { isRebuilt, sets, chains, goneChains, goneSets, goneCounters, counters, elements } = change
  const parts = elements.reduce((sum, { gone, come }) => sum + gone.length + come.length, counters.length)
  return (
    !isRebuilt &&
    sets.length + goneChains.length + goneSets.length + goneCounters.length === 0 &&
    chains.every(([name, { rules }]) => found.chains.get(name)?.rules.join('\n') === rules.join('\n')) &&
    elements.every(({ set, come }) => !set.isInterval && !come.some(([, value]) => value.startsWith('goto '))) &&
    parts > 0 &&
    parts <= DIRECT_MAX
  )
}
