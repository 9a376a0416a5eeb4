// The text of one nft transaction that takes our table from one state to another. Pure; what a preview shows is what root submits.
import type { RelayRule } from '../model/ruleset.ts'
import { constantTable } from './ruleset-constant.ts'
import { layOut } from './ruleset-layout.ts'
import { COUNTER_NAME, emptyTable, TABLE, type Table, type TableSet } from './ruleset-table.ts'

/** From the rules that a host holds to those that it shall hold. `found` null: our table is not there at all. */
export const rulesetText = (found: readonly RelayRule[] | null, wanted: readonly RelayRule[]): string => renderChange(found ? layOut(found) : null, layOut(wanted))

/**
 * Only what differs is said, but the constant chains always are: who reads the text sees what a packet goes through. Counters that
 * stay are never made anew, or what they counted since the last reading would be lost; those of rules that leave are left for another
 * transaction, when they stand still. Order: counters, maps, chains, then elements (shared/design/ruleset.md).
 */
export function renderChange(found: Table | null, wanted: Table): string {
  const base = found && isRepairable(found, wanted) ? found : emptyTable()
  const chains = changedChains(base, wanted)
  return `${[
    // A map of another type cannot be turned into ours.
    ...(found && base !== found ? [`delete table ${TABLE}`] : []),
    `table ${TABLE} {`,
    ...[...wanted.counters].filter((name) => !base.counters.has(name)).map((name) => `\tcounter ${name} { }`),
    ...[...wanted.sets].filter(([name]) => !base.sets.has(name)).map(([name, set]) => `\t${set.kind} ${name} { ${set.declaration} }`),
    ...chains.map((name) => `\tchain ${name} { ${wanted.chains.get(name)?.declaration ?? ''} }`),
    '}',
    ...chains.filter((name) => base.chains.has(name)).map((name) => `flush chain ${TABLE} ${name}`),
    ...leaving(base.chains, wanted.chains).map((name) => `flush chain ${TABLE} ${name}`),
    ...[...base.sets].flatMap(([name, set]) => removedElements(name, set, wanted.sets.get(name))),
    `table ${TABLE} {`,
    ...chains.flatMap((name) => [`\tchain ${name} {`, ...(wanted.chains.get(name)?.rules ?? []).map((rule) => `\t\t${rule}`), '\t}']),
    '}',
    ...[...wanted.sets].flatMap(([name, set]) => addedElements(name, set, base.sets.get(name))),
    ...leaving(base.chains, wanted.chains).map((name) => `delete chain ${TABLE} ${name}`),
    ...leaving(base.sets, wanted.sets).map((name) => `delete ${base.sets.get(name)?.kind} ${TABLE} ${name}`),
    ...[...base.counters].filter((name) => !COUNTER_NAME.test(name)).map((name) => `delete counter ${TABLE} ${name}`),
  ].join('\n')}\n`
}

/** Takes away counters that no rule feeds any more. */
export const renderCountersGone = (names: readonly string[]): string => names.map((name) => `delete counter ${TABLE} ${name}\n`).join('')

const isRepairable = (found: Table, wanted: Table): boolean =>
  [...wanted.sets].every(([name, set]) => sameSet(found.sets.get(name) ?? set, set)) && [...wanted.chains].every(([name, chain]) => (found.chains.get(name) ?? chain).declaration === chain.declaration)

const sameSet = (a: TableSet, b: TableSet): boolean => a.kind === b.kind && a.declaration === b.declaration

function changedChains(base: Table, wanted: Table): string[] {
  const constant = constantTable().chains
  const changed = (name: string, rules: readonly string[]): boolean => constant.has(name) || base.chains.get(name)?.rules.join('\n') !== rules.join('\n') || !base.chains.has(name)
  return [...wanted.chains].filter(([name, { rules }]) => changed(name, rules)).map(([name]) => name)
}

const leaving = (found: ReadonlyMap<string, unknown>, wanted: ReadonlyMap<string, unknown>): string[] => [...found.keys()].filter((name) => !wanted.has(name))

/** A set of intervals is filled anew, since pieces of it cannot be exchanged in one transaction. */
const isRefilled = (before: TableSet, after: TableSet): boolean => before.isInterval && textOf(before) !== textOf(after)
const textOf = ({ elements }: TableSet): string => [...(elements ?? [])].map((pair) => pair.join(' : ')).sort().join(', ')

function removedElements(name: string, before: TableSet, after: TableSet | undefined): string[] {
  if (!before.elements || before.elements.size === 0) return []
  if (!after || isRefilled(before, after)) return [`flush ${before.kind} ${TABLE} ${name}`]
  const gone = [...before.elements].filter(([key, value]) => after.elements?.get(key) !== value)
  return gone.length === 0 ? [] : [`delete element ${TABLE} ${name} { ${gone.map(spelled).join(', ')} }`]
}

function addedElements(name: string, after: TableSet, before: TableSet | undefined): string[] {
  const all = [...(after.elements ?? [])]
  const stay = before && !isRefilled(before, after) ? before.elements : null
  const come = all.filter(([key, value]) => stay?.get(key) !== value)
  return come.length === 0 ? [] : [`add element ${TABLE} ${name} { ${come.map(spelled).join(', ')} }`]
}

const spelled = ([key, value]: [string, string]): string => (value === '' ? key : `${key} : ${COUNTER_NAME.test(value) ? `"${value}"` : value}`)
