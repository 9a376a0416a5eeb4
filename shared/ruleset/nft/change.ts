// The difference between two states of our table, as data: written as one nft transaction, and read back piece by
// piece. Pure.
import { constantTable } from './constant.ts'
import { COUNTER_NAME, emptyTable, type Table, type TableChain, type TableSet } from './table.ts'

export type Element = readonly [key: string, value: string]

/**
 * The elements of one set that are removed and added. A set of intervals is refilled, since nft cannot exchange single
 * intervals in one transaction.
 */
export interface SetChange {
  readonly name: string
  readonly set: TableSet
  readonly isEmptied: boolean
  readonly gone: readonly Element[]
  readonly come: readonly Element[]
}

export interface TableChange {
  /** Our table is not there yet. */
  readonly isNew: boolean
  /** The existing table cannot be turned into the wanted one, so it is deleted first. */
  readonly isRebuilt: boolean
  readonly counters: readonly string[]
  readonly sets: readonly (readonly [string, TableSet])[]
  /** Chains that are written, those among them that are there already, and those that go. */
  readonly chains: readonly (readonly [string, TableChain])[]
  readonly rewritten: readonly string[]
  readonly goneChains: readonly string[]
  readonly elements: readonly SetChange[]
  readonly goneSets: readonly (readonly [string, TableSet])[]
  /** Counters of our rules stay: a later transaction deletes them, when they no longer count. */
  readonly goneCounters: readonly string[]
}

/**
 * Only the differences, and always the constant chains, so that the text shows the path of a packet. Counters that stay
 * are never created again, or what they counted since they were last read would be lost. `found` null: our table does
 * not exist.
 */
export function diffTables(found: Table | null, wanted: Table): TableChange {
  const base = found && isRepairable(found, wanted) ? found : emptyTable()
  const chains = changedChains(base, wanted)
  return {
    isNew: found === null,
    // A map of another type cannot be turned into ours.
    isRebuilt: found !== null && base !== found,
    counters: [...wanted.counters].filter((name) => !base.counters.has(name)),
    sets: [...wanted.sets].filter(([name]) => !base.sets.has(name)),
    chains,
    rewritten: chains.map(([name]) => name).filter((name) => base.chains.has(name)),
    goneChains: [...base.chains.keys()].filter((name) => !wanted.chains.has(name)),
    elements: changedSets(base, wanted),
    goneSets: [...base.sets].filter(([name]) => !wanted.sets.has(name)),
    goneCounters: [...base.counters].filter((name) => !COUNTER_NAME.test(name)),
  }
}

const isRepairable = (found: Table, wanted: Table): boolean =>
  [...wanted.sets].every(([name, set]) => sameSet(found.sets.get(name) ?? set, set)) &&
  [...wanted.chains].every(([name, chain]) => (found.chains.get(name) ?? chain).declaration === chain.declaration)

const sameSet = (a: TableSet, b: TableSet): boolean => a.kind === b.kind && a.declaration === b.declaration

function changedChains(base: Table, wanted: Table): [string, TableChain][] {
  const constant = constantTable().chains
  const changed = (name: string, rules: readonly string[]): boolean =>
    constant.has(name) || base.chains.get(name)?.rules.join('\n') !== rules.join('\n') || !base.chains.has(name)
  return [...wanted.chains].filter(([name, { rules }]) => changed(name, rules))
}

function changedSets(base: Table, wanted: Table): SetChange[] {
  const changes = [...new Set([...base.sets.keys(), ...wanted.sets.keys()])].flatMap(
    (name) => changedSet(name, base.sets.get(name), wanted.sets.get(name)) ?? [],
  )
  return changes.filter(({ isEmptied, gone, come }) => isEmptied || gone.length + come.length > 0)
}

function changedSet(name: string, before: TableSet | undefined, after: TableSet | undefined): SetChange | null {
  const set = after ?? before
  if (!set) return null
  const [there, wanted] = [before?.elements ?? NONE, after?.elements ?? NONE]
  const gone = [...there].filter(([key, value]) => wanted.get(key) !== value)
  const come = [...wanted].filter(([key, value]) => there.get(key) !== value)
  const isEmptied = there.size > 0 && (!after || (set.isInterval && gone.length + come.length > 0))
  return isEmptied ? { name, set, isEmptied, gone: [], come: [...wanted] } : { name, set, isEmptied, gone, come }
}

const NONE: ReadonlyMap<string, string> = new Map()

/** Makes of the table what the change makes of the kernel's. */
export function applyChange(table: Table, change: TableChange): void {
  if (change.isRebuilt) for (const part of [table.counters, table.sets, table.chains]) part.clear()
  for (const name of change.goneCounters) table.counters.delete(name)
  for (const [name] of change.goneSets) table.sets.delete(name)
  for (const name of change.goneChains) table.chains.delete(name)
  for (const name of change.counters) table.counters.add(name)
  for (const [name, set] of change.sets) table.sets.set(name, { ...set, elements: set.elements && new Map() })
  for (const [name, chain] of change.chains) table.chains.set(name, chain)
  for (const { name, isEmptied, gone, come } of change.elements) {
    const elements = table.sets.get(name)?.elements
    if (isEmptied) elements?.clear()
    for (const [key] of gone) elements?.delete(key)
    for (const [key, value] of come) elements?.set(key, value)
  }
}
