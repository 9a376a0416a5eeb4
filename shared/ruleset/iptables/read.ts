// The inverse of rendering: the rules that our chains hold whole, those that they hold in pieces, and what no rule
// explains.
import { message } from '@panel/shared/messages/message.ts'
import type { Family } from '../../address/ip.ts'
import { inOrder } from '../canonical.ts'
import type { RelayRule } from '../model.ts'
import type { RulesetFound } from '../found.ts'
import { layOutIptables } from './layout.ts'
import { COUNT_CHAIN, isPresent, TABLES, type ChainTable, type FamilyTables } from './tables.ts'
import { ruleIdsIn } from './owners.ts'
import { rulesOfTables } from './read-rules.ts'
import { readTables } from './read-tables.ts'
import { readSourceLines } from './sources.ts'

export interface IptablesRead extends Pick<RulesetFound, 'rules' | 'damaged' | 'unmanaged'> {
  readonly tables: FamilyTables
  readonly missing_jumps: string[]
  /** The lines of our chain of sources (sources.ts); null where it is not there. */
  readonly sources: string[] | null
  /** Every rule that can be read from the chains, those among them that are damaged too. */
  readonly legible: readonly RelayRule[]
}

/**
 * A rule is held where our chains match its layout line for line; each difference is attributed to the rule that it
 * belongs to.
 */
export function readIptables(saved: string, family: Family): IptablesRead {
  const tables = readTables(saved, family)
  if (!isPresent(tables))
    return { tables, rules: [], damaged: [], unmanaged: [], missing_jumps: [], sources: null, legible: [] }
  const candidates = rulesOfTables(tables, family)
  const legible = [...candidates.values()].filter((rule) => rule !== null)
  const differences = new Differences()
  for (const [id, rule] of candidates) if (!rule) differences.add([id], message('root.no_rule_of_it').message, true)
  const wanted = layOutIptables(legible, family)
  for (const name of TABLES) compare(name, tables[name], wanted[name], differences)
  const damaged = differences.damaged(legible)
  const broken = new Set(damaged.map(({ route_rule_id }) => route_rule_id))
  return {
    tables,
    sources: readSourceLines(saved, family),
    legible,
    rules: legible.filter(({ route_rule_id }) => !broken.has(route_rule_id)).sort(inOrder),
    damaged,
    unmanaged: differences.ofNobody.map((text) => text.slice(0, 600)),
    missing_jumps: differences.missingJumps.map((jump) => `ip${family === 6 ? '6' : ''}tables ${jump}`),
  }
}

class Differences {
  readonly #ofRules = new Map<number, string[]>()
  readonly #ofAll: string[] = []
  readonly ofNobody: string[] = []
  readonly missingJumps: string[] = []

  /**
   * A surplus that no rule explains belongs to nobody; something missing that belongs to no single rule damages every
   * rule.
   */
  add(ids: readonly number[], detail: string, isMissing: boolean): void {
    for (const id of ids) this.#ofRules.set(id, [...(this.#ofRules.get(id) ?? []), detail])
    if (ids.length === 0) (isMissing ? this.#ofAll : this.ofNobody).push(detail)
  }

  damaged(legible: readonly RelayRule[]): RulesetFound['damaged'] {
    if (this.#ofAll.length > 0)
      this.add(
        legible.map(({ route_rule_id }) => route_rule_id),
        this.#ofAll.join('; '),
        true,
      )
    return [...this.#ofRules]
      .map(([route_rule_id, details]) => ({ route_rule_id, detail: details.join('; ').slice(0, 600) }))
      .sort((a, b) => a.route_rule_id - b.route_rule_id)
  }
}

function compare(table: string, found: ChainTable, wanted: ChainTable, differences: Differences): void {
  for (const builtIn of allKeys(found.hooks, wanted.hooks)) {
    const [there, wantedLines] = [found.hooks.get(builtIn) ?? [], wanted.hooks.get(builtIn) ?? []]
    for (const line of wantedLines.filter((one) => !there.includes(one))) {
      differences.add([], message('root.part_lacks', { what: `${table} ${builtIn}`, text: line }).message, true)
      differences.missingJumps.push(`${table} ${builtIn} ${line}`)
    }
    for (const line of there.filter((one, at) => !wantedLines.includes(one) || there.indexOf(one) < at))
      differences.add([], `${table} ${builtIn}: ${line}`, false)
  }
  for (const chain of allKeys(found.chains, wanted.chains))
    compareChain(table, chain, found.chains.get(chain), wanted.chains.get(chain), differences)
}

const allKeys = (a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): string[] => [
  ...new Set([...a.keys(), ...b.keys()]),
]

function compareChain(
  table: string,
  chain: string,
  found: readonly string[] | undefined,
  wanted: readonly string[] | undefined,
  differences: Differences,
): void {
  const [there, wantedLines] = [found ?? [], wanted ?? []]
  if (found && wanted && there.length === wantedLines.length && there.every((line, at) => line === wantedLines[at]))
    return
  // One that no rule leads to waits to be taken away; it counts nothing.
  if (!wanted && COUNT_CHAIN.test(chain)) return
  if (!wanted) return differences.add(ruleIdsIn(chain), `${table} ${chain} { ${there.join('; ')} }`, false)
  const concerned = [...new Set([chain, ...wantedLines].flatMap(ruleIdsIn))]
  if (!found)
    return differences.add(
      concerned,
      message('root.part_missing', { kind: 'chain', name: `${table}/${chain}` }).message,
      true,
    )
  const rest = new Set(wantedLines)
  // A duplicate of a line belongs to nobody, like a foreign line.
  const kept = there.filter((line) => rest.delete(line) || differences.add([], `${table} ${chain}: ${line}`, false))
  const missing = [...rest]
  for (const line of missing)
    differences.add(
      ruleIdsIn(chain).length > 0 ? ruleIdsIn(chain) : ruleIdsIn(line),
      message('root.part_lacks', { what: `${table} ${chain}`, text: line }).message,
      true,
    )
  if (missing.length === 0 && kept.join('\n') !== wantedLines.join('\n'))
    differences.add(concerned, message('root.part_order', { kind: 'chain', name: `${table}/${chain}` }).message, true)
}
