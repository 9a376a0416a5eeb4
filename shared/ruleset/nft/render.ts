// The text of one nft transaction that takes our table from one state to another. Pure; what a preview shows is what
// root submits.
import type { RelayRule } from '../model.ts'
import { diffTables, type Element, type SetChange, type TableChange } from './change.ts'
import { isDirect } from './direct.ts'
import { layOut } from './layout.ts'
import { rulesAround } from '../part.ts'
import { COUNTER_NAME, TABLE, type Table } from './table.ts'

/** From the rules that a host holds to the wanted ones. `found` null: our table does not exist. */
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

/** `found` null: our table is not there at all. */
export const renderChange = (found: Table | null, wanted: Table): string => formatChange(diffTables(found, wanted))

/** Order: counters, maps, chains, then elements (decisions.md, F26). */
export function formatChange({
  isRebuilt: isAnew,
  counters,
  sets,
  chains,
  rewritten,
  goneChains,
  elements,
  goneSets,
  goneCounters,
}: TableChange): string {
  return `${[
    ...(isAnew ? [`delete table ${TABLE}`] : []),
    `table ${TABLE} {`,
    ...counters.map((name) => `\tcounter ${name} { }`),
    ...sets.map(([name, set]) => `\t${set.kind} ${name} { ${set.declaration} }`),
    ...chains.map(([name, { declaration }]) => `\tchain ${name} { ${declaration} }`),
    '}',
    ...[...rewritten, ...goneChains].map((name) => `flush chain ${TABLE} ${name}`),
    ...elements.flatMap(removedElements),
    `table ${TABLE} {`,
    ...chains.flatMap(([name, { rules }]) => [`\tchain ${name} {`, ...rules.map((rule) => `\t\t${rule}`), '\t}']),
    '}',
    ...elements.flatMap(({ name, come }) =>
      come.length === 0 ? [] : [`add element ${TABLE} ${name} { ${come.map(formatElement).join(', ')} }`],
    ),
    ...goneChains.map((name) => `delete chain ${TABLE} ${name}`),
    ...goneSets.map(([name, { kind }]) => `delete ${kind} ${TABLE} ${name}`),
    ...goneCounters.map((name) => `delete counter ${TABLE} ${name}`),
  ].join('\n')}\n`
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
