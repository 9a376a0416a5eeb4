// The text of one nft transaction that takes our table from one state to another. Pure; what a preview shows is what
// root submits.
import type { RelayRule } from '../model.ts'
import { diffTables, type Element, type SetChange, type TableChange } from './change.ts'
import { isDirect } from './direct.ts'
import { layOut } from './layout.ts'
import { rulesAround } from '../part.ts'
import { COUNTER_NAME, TABLE } from './table.ts'

/** The text that leads from the rules that a host holds to the wanted ones. `found` null: our table does not exist. */
export const rulesetText = (found: readonly RelayRule[] | null, wanted: readonly RelayRule[]): string =>
  rulesetChange(found, wanted).text

/** `isDirect`: root commits it by itself, and nft is not started; the text has the same effect. */
export function rulesetChange(
  found: readonly RelayRule[] | null,
  wanted: readonly RelayRule[],
): { readonly text: string; readonly isDirect: boolean } {
  const { before, after } = found ? rulesAround(found, wanted) : { before: null, after: wanted }
  const [from, to] = [before && layOut(before), layOut(after)]
  const change = diffTables(from, to)
  return { text: formatChange(change), isDirect: from !== null && isDirect(change, from) }
}

/**
 * Order: counters, chains, maps, what the chains say, elements (decisions.md, F26): nft 1.0.6 sends the intervals of a
 * new map with the map itself, and they lead to chains. Of commands and no block of the table: a block states the
 * table's flags, and the kernel takes none that differ from those it has.
 */
export function formatChange({
  isNew,
  isRebuilt,
  counters,
  sets,
  chains,
  rewritten,
  goneChains,
  elements,
  goneSets,
  goneCounters,
}: TableChange): string {
  return [
    ...(isRebuilt ? [`delete table ${TABLE}`] : []),
    ...(isNew || isRebuilt ? [`add table ${TABLE}`] : []),
    ...counters.map((name) => `add counter ${TABLE} ${name}`),
    ...chains.map(([name, { declaration }]) => `add chain ${TABLE} ${name}${declaration ? ` { ${declaration} }` : ''}`),
    ...sets.map(([name, set]) => `add ${set.kind} ${TABLE} ${name} { ${set.declaration} }`),
    ...[...rewritten, ...goneChains].map((name) => `flush chain ${TABLE} ${name}`),
    ...elements.flatMap(removedElements),
    ...chains.flatMap(([name, { rules }]) => rules.map((rule) => `add rule ${TABLE} ${name} ${rule}`)),
    ...elements.flatMap(({ name, come }) =>
      come.length === 0 ? [] : [`add element ${TABLE} ${name} { ${come.map(formatElement).join(', ')} }`],
    ),
    ...goneChains.map((name) => `delete chain ${TABLE} ${name}`),
    ...goneSets.map(([name, { kind }]) => `delete ${kind} ${TABLE} ${name}`),
    ...goneCounters.map((name) => `delete counter ${TABLE} ${name}`),
  ]
    .map((command) => `${command}\n`)
    .join('')
}

/** Takes away counters that no rule feeds any more. */
export const renderCountersGone = (names: readonly string[]): string =>
  names.map((name) => `delete counter ${TABLE} ${name}\n`).join('')

function removedElements({ name, set, isEmptied, gone }: SetChange): string[] {
  if (isEmptied) return [`flush ${set.kind} ${TABLE} ${name}`]
  return gone.length === 0 ? [] : [`delete element ${TABLE} ${name} { ${gone.map(formatElement).join(', ')} }`]
}

const formatElement = ([key, value]: Element): string =>
  value === '' ? key : `${key} : ${COUNTER_NAME.test(value) ? `"${value}"` : value}`
