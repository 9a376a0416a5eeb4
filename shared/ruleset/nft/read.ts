// The inverse of rendering: the rules that a listing of our table holds whole, those it holds in pieces, and what no
// rule explains.
import { message } from '@panel/shared/messages/message.ts'
import { inOrder } from '../canonical.ts'
import type { RelayRule } from '../model.ts'
import type { RulesetFound } from '../found.ts'
import { constantTable } from './constant.ts'
import { layOut } from './layout.ts'
import { elementOwners, ruleIdsIn } from './owners.ts'
import { COUNTER_NAME, emptyTable, type Table, type TableChain, type TableSet } from './table.ts'
import { rulesIn } from './read-rules.ts'
import { readTable } from './read-table.ts'

export interface RulesetRead extends Pick<RulesetFound, 'rules' | 'damaged' | 'unmanaged'> {
  readonly table: Table
  /** Every rule that can be read from the table, those among them that are damaged too. */
  readonly legible: readonly RelayRule[]
}

/** Rules, in their canonical form and order, with what they are compiled to. */
export interface Compiled {
  readonly rules: readonly RelayRule[]
  readonly table: Table
}

/**
 * A rule is held where the table contains, element for element and line for line, what the rule compiles to. Each
 * difference is attributed to the rule that it belongs to. A table that equals what the `expected` rules compile to is
 * not analysed any further.
 */
export function readRuleset(json: string, expected: Compiled | null = null): RulesetRead {
  const { table, unknown } = readTable(json)
  if (expected && unknown.length === 0 && sameTable(table, expected.table))
    return { table, legible: expected.rules, rules: [...expected.rules], damaged: [], unmanaged: [] }
  return readPieces(table, unknown)
}

/** `unknown` are objects of the table that are of no kind of ours, as text. */
export function readPieces(table: Table, unknown: readonly string[] = []): RulesetRead {
  const candidates = rulesIn(table)
  const legible = [...candidates.values()].filter((rule) => rule !== null)
  const { ofRules, ofAll, ofNobody } = differences(table, layOut(legible))
  for (const [id, rule] of candidates) if (!rule) add(ofRules, id, message('root.no_rule_of_it').message)
  if (ofAll.length > 0) for (const { route_rule_id } of legible) add(ofRules, route_rule_id, ofAll.join('; '))
  const damaged = [...ofRules]
    .map(([route_rule_id, details]) => ({ route_rule_id, detail: details.join('; ').slice(0, 600) }))
    .sort((a, b) => a.route_rule_id - b.route_rule_id)
  return {
    table,
    legible,
    rules: legible.filter((rule: RelayRule) => !ofRules.has(rule.route_rule_id)).sort(inOrder),
    damaged,
    unmanaged: [...unknown, ...ofNobody].map((text) => text.slice(0, 600)),
  }
}

/** Counters that no rule feeds do not count. */
function sameTable(found: Table, wanted: Table): boolean {
  return (
    found.sets.size === wanted.sets.size &&
    found.chains.size === wanted.chains.size &&
    [...wanted.counters].every((name) => found.counters.has(name)) &&
    [...found.counters].every((name) => wanted.counters.has(name) || COUNTER_NAME.test(name)) &&
    [...wanted.chains].every(([name, chain]) => sameChain(found.chains.get(name), chain)) &&
    [...wanted.sets].every(([name, set]) => sameElements(found.sets.get(name), set))
  )
}

const sameChain = (found: TableChain | undefined, wanted: TableChain): boolean =>
  found?.declaration === wanted.declaration &&
  found.rules.length === wanted.rules.length &&
  wanted.rules.every((rule, at) => found.rules[at] === rule)

function sameElements(found: TableSet | undefined, wanted: TableSet): boolean {
  if (!found || found.kind !== wanted.kind || found.declaration !== wanted.declaration) return false
  if (!found.elements || !wanted.elements) return found.elements === wanted.elements
  if (found.elements.size !== wanted.elements.size) return false
  for (const [key, value] of wanted.elements) if (found.elements.get(key) !== value) return false
  return true
}

interface Differences {
  readonly ofRules: Map<number, string[]>
  readonly ofAll: string[]
  readonly ofNobody: string[]
}

const add = (all: Map<number, string[]>, id: number, detail: string): void =>
  void all.set(id, [...(all.get(id) ?? []), detail])

function differences(found: Table, wanted: Table): Differences {
  const all: Differences = { ofRules: new Map(), ofAll: [], ofNobody: [] }
  const report = (ids: readonly number[], detail: string, isMissing: boolean): void => {
    if (ids.length > 0) for (const id of ids) add(all.ofRules, id, detail)
    else (isMissing ? all.ofAll : all.ofNobody).push(detail)
  }
  for (const name of names(found.sets, wanted.sets))
    compareSets(name, found.sets.get(name), wanted.sets.get(name), wanted, report)
  for (const name of names(found.chains, wanted.chains)) compareChains(name, found, wanted, report)
  for (const name of wanted.counters)
    if (!found.counters.has(name)) report(ruleIdsIn(name), missing('counter', name), true)
  // One of ours that no rule feeds waits to be taken away; it counts nothing.
  for (const name of found.counters)
    if (!wanted.counters.has(name) && !COUNTER_NAME.test(name)) all.ofNobody.push(`counter ${name}`)
  return all
}

type Report = (ids: readonly number[], detail: string, isMissing: boolean) => void

const names = (a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): string[] => [
  ...new Set([...a.keys(), ...b.keys()]),
]

const missing = (kind: string, name: string): string => message('root.part_missing', { kind, name }).message
const declaredAs = (kind: string, name: string, text: string): string =>
  message('root.part_declared', { kind, name, text }).message
const lacks = (what: string, text: string): string => message('root.part_lacks', { what, text }).message

function compareSets(
  name: string,
  found: TableSet | undefined,
  wanted: TableSet | undefined,
  table: Table,
  report: Report,
): void {
  if (wanted && (!found || found.declaration !== wanted.declaration || found.kind !== wanted.kind))
    report(ruleIdsIn(name), found ? declaredAs(wanted.kind, name, found.declaration) : missing(wanted.kind, name), true)
  if (!wanted && found && !constantTable().sets.has(name))
    report(ruleIdsIn(name), `${found.kind} ${name} { ${found.declaration} }`, false)
  const [there, wantedElements] = [found?.elements ?? NONE, wanted?.elements ?? NONE]
  for (const [key, value] of wantedElements)
    if (there.get(key) !== value)
      report(elementOwners(name, key, value, table), lacks(name, `${key}${value && ` : ${value}`}`), true)
  for (const [key, value] of there)
    if (wantedElements.get(key) !== value)
      report(elementOwners(name, key, value, table), `${name} { ${key}${value && ` : ${value}`} }`, false)
}

const NONE: ReadonlyMap<string, string> = new Map()

function compareChains(
  name: string,
  { chains: there }: Table,
  { chains: wantedElements }: Table,
  report: Report,
): void {
  const [found, wanted] = [there.get(name), wantedElements.get(name)]
  const concerned = [...new Set([...ruleIdsIn(name), ...(wanted?.rules ?? []).flatMap(ruleIdsIn)])]
  if (!wanted)
    return report(
      [...new Set([...ruleIdsIn(name), ...(found?.rules ?? []).flatMap(ruleIdsIn)])],
      `chain ${name} { ${(found?.rules ?? []).join('; ')} }`,
      false,
    )
  if (!found) return report(concerned, missing('chain', name), true)
  if (found.declaration !== wanted.declaration)
    report(concerned, declaredAs('chain', name, found.declaration || '{ }'), true)
  const ours = new Set(wanted.rules)
  const kept = found.rules.filter((line) => ours.has(line))
  for (const line of found.rules.filter((other) => !ours.has(other))) report([], `chain ${name}: ${line}`, false)
  const absent = wanted.rules.filter((line) => !kept.includes(line))
  for (const line of absent)
    report(name.startsWith('rule_') ? concerned : ruleIdsIn(line), lacks(`chain ${name}`, line), true)
  if (absent.length === 0 && kept.join('\n') !== wanted.rules.join('\n'))
    report(concerned, message('root.part_order', { kind: 'chain', name }).message, true)
}

/** What a host without our table holds. */
export const nothingRead = (): RulesetRead => ({
  table: emptyTable(),
  legible: [],
  rules: [],
  damaged: [],
  unmanaged: [],
})
