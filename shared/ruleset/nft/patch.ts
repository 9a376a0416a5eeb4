// What a change of some rules makes of a table in which other rules may be damaged or missing: those stay exactly as
// they are found. Pure.
import type { RelayRule } from '../model.ts'
import { patchLines, type Versions } from '../patch-lines.ts'
import { addClamp, addFwmark } from './constant.ts'
import { addFastPath } from './fast-path.ts'
import { layOut } from './layout.ts'
import { elementOwners, ruleIdsIn } from './owners.ts'
import { COUNTER_NAME, emptyTable, type Table, type TableChain, type TableSet } from './table.ts'

export interface RulesChange {
  /** Every rule that can be read from the table, damaged or not. */
  readonly before: readonly RelayRule[]
  readonly after: readonly RelayRule[]
  /** The rules that the change is about. */
  readonly ids: ReadonlySet<number>
}

/**
 * Each piece of the table (a chain, a line, an element) belongs to rules, or to none. Pieces of the rules of the
 * change, and those of no rule, become what `after` compiles to. A piece of another rule changes only where the change
 * itself alters what that rule compiles to, as a port does that two rules come to share. A table that is whole becomes
 * just what `after` compiles to.
 */
export function patchTable(found: Table, { before, after, ids }: RulesChange): Table {
  const versions = { found, before: layOut(before), after: layOut(after) }
  keepOptionalParts(versions, ids)
  const table = emptyTable()
  for (const name of allNames(versions, 'chains')) {
    const chain = patchedChain(name, versions, ids)
    if (chain) table.chains.set(name, chain)
  }
  for (const name of allNames(versions, 'sets')) {
    const set = patchedSet(name, versions, table, ids)
    if (set) table.sets.set(name, set)
  }
  addReferenced(table, versions)
  for (const name of found.counters) if (COUNTER_NAME.test(name)) table.counters.add(name)
  for (const name of versions.after.counters)
    if (isAny(ruleIdsIn(name), ids) || !versions.before.counters.has(name)) table.counters.add(name)
  return table
}

const isAny = (owners: readonly number[], ids: ReadonlySet<number>): boolean => owners.some((id) => ids.has(id))

const allNames = ({ found, after }: Versions<Table>, part: 'chains' | 'sets'): Set<string> =>
  new Set([...after[part].keys(), ...found[part].keys()])

/** A rule that cannot be read may need what no legible rule needs. */
function keepOptionalParts({ found, before, after }: Versions<Table>, ids: ReadonlySet<number>): void {
  for (const [name, add] of [
    ['relay_clamp', addClamp],
    ['relay_fwmark', addFwmark],
    ['relay_fast', addFastPath],
  ] as const) {
    const isNeeded = [...(found.sets.get(name)?.elements ?? [])].some(([key, value]) => {
      const owners = elementOwners(name, key, value, found)
      return owners.length > 0 && !isAny(owners, ids)
    })
    for (const table of isNeeded ? [before, after] : []) if (!table.sets.has(name)) add(table)
  }
}

function patchedChain(name: string, versions: Versions<Table>, ids: ReadonlySet<number>): TableChain | undefined {
  const [found, before, after] = [versions.found, versions.before, versions.after].map(({ chains }) => chains.get(name))
  const named = ruleIdsIn(name)
  const owners = [found, before, after].flatMap((chain) => (chain?.rules ?? []).flatMap(ruleIdsIn))
  if (isAny(named, ids) || (named.length === 0 && owners.length === 0)) return after
  if (named.length > 0) return chainText(before) === chainText(after) ? found : after
  // Nothing of a chain that the change has nothing to do with moves, but for lines of no rule.
  if (chainText(before) === chainText(after) && !isAny(owners, ids))
    return found && { ...found, rules: found.rules.filter((line) => ruleIdsIn(line).length > 0) }
  const rules = patchLines(
    { found: found?.rules ?? [], before: before?.rules ?? [], after: after?.rules ?? [] },
    { isChanged: (line) => isAny(ruleIdsIn(line), ids), isOfOthers: (line) => ruleIdsIn(line).length > 0 },
  )
  return rules.length === 0 ? undefined : { declaration: after?.declaration ?? found?.declaration ?? '', rules }
}

const chainText = (chain: TableChain | undefined): string =>
  chain ? [chain.declaration, ...chain.rules].join('\n') : '(none)'

function patchedSet(
  name: string,
  versions: Versions<Table>,
  { chains }: Table,
  ids: ReadonlySet<number>,
): TableSet | undefined {
  const [found, before, after] = [versions.found, versions.before, versions.after].map(({ sets }) => sets.get(name))
  const named = ruleIdsIn(name)
  if (named.length > 0) return isAny(named, ids) || setText(before) !== setText(after) ? after : found
  if (!after?.elements || found?.declaration !== after.declaration || found.kind !== after.kind) return after
  const elements = new Map<string, string>()
  for (const key of new Set([...after.elements.keys(), ...(found.elements?.keys() ?? [])])) {
    const value = patchedElement(name, key, versions, ids)
    const leadsNowhere = value?.startsWith('goto ') && !chains.has(value.slice('goto '.length))
    if (value !== undefined && !leadsNowhere) elements.set(key, value)
  }
  return { ...after, elements }
}

const setText = (set: TableSet | undefined): string =>
  set ? JSON.stringify([set.kind, set.declaration, [...(set.elements ?? [])]]) : '(none)'

function patchedElement(
  set: string,
  key: string,
  versions: Versions<Table>,
  ids: ReadonlySet<number>,
): string | undefined {
  const tables = [versions.found, versions.before, versions.after]
  const [found, before, after] = tables.map(({ sets }) => sets.get(set)?.elements?.get(key))
  const owners = tables.flatMap((table) => {
    const value = table.sets.get(set)?.elements?.get(key)
    return value === undefined ? [] : elementOwners(set, key, value, table)
  })
  if (owners.length === 0 || before !== after) return after
  if (found?.startsWith('goto ')) return found
  return isAny(owners, ids) ? after : found
}

/**
 * A line needs the chain and the set that it names: one that the change adds, even where the rule had lost them, and one
 * that stays as it is found, even where its rule, as far as it can be read, would no longer need them.
 */
function addReferenced(table: Table, { found, after }: Versions<Table>): void {
  const chains = [...table.chains.values()]
  for (const { rules } of chains)
    for (const [, name = ''] of rules.join('\n').matchAll(/(?:goto |@)(\w+)/g)) {
      const [chain, set] = [
        after.chains.get(name) ?? found.chains.get(name),
        after.sets.get(name) ?? found.sets.get(name),
      ]
      if (chain && !table.chains.has(name)) {
        table.chains.set(name, chain)
        chains.push(chain)
      }
      if (set && !table.sets.has(name)) table.sets.set(name, set)
    }
}
