// The text for iptables-restore --noflush that takes our chains of one family from one state to another. Pure; what a
// preview shows is what root submits.
import type { Family } from '../../address/ip.ts'
import { familyOf } from '../canonical.ts'
import type { RelayRule } from '../model.ts'
import { layOutIptables } from './layout.ts'
import {
  COUNT_CHAIN,
  emptyTables,
  isPresent,
  RELAY_FAMILIES,
  TABLES,
  type ChainTable,
  type FamilyTables,
} from './tables.ts'

/**
 * The text for each family's program, one after the other, that leads from the rules that a host holds to the wanted
 * ones.
 */
export const iptablesText = (found: readonly RelayRule[], wanted: readonly RelayRule[]): string =>
  RELAY_FAMILIES.map((family) => {
    const before = wantedTables(found, family, false)
    return renderFamily(family, before, wantedTables(wanted, family, isPresent(before)))
  }).join('')

/**
 * A family has no chains of ours before its first rule, and keeps them behind its last one, for the flows that there
 * may still be.
 */
export const wantedTables = (rules: readonly RelayRule[], family: Family, isThere: boolean): FamilyTables =>
  isThere || rules.some((rule) => familyOf(rule) === family) ? layOutIptables(rules, family) : emptyTables()

/** "" where nothing differs. */
export function renderFamily(family: Family, found: FamilyTables, wanted: FamilyTables): string {
  const sections = TABLES.map((name) => section(name, found[name], wanted[name])).join('')
  return sections === '' ? '' : `# For ${family === 4 ? 'iptables' : 'ip6tables'}-restore --noflush\n${sections}`
}

/** Takes away the counters of rules that have left. */
export const renderCountersGone = (route_rule_ids: readonly number[]): string =>
  `*mangle\n${route_rule_ids.map((id) => `-F PANEL-C-${id}\n-X PANEL-C-${id}\n`).join('')}COMMIT\n`

/** Back to what was there, or to nothing of ours: with the counters of rules that only came with what is taken back. */
export function renderBack(family: Family, found: FamilyTables, before: FamilyTables): string {
  const counted = [...found.mangle.chains.keys()]
    .filter((chain) => !before.mangle.chains.has(chain))
    .flatMap((chain) => COUNT_CHAIN.exec(chain)?.[1] ?? [])
  return renderFamily(family, found, before) + (counted.length > 0 ? renderCountersGone(counted.map(Number)) : '')
}

/**
 * Declaring an existing chain would empty it, so only new ones are declared; a chain is deleted once no line leads to
 * it. Only differing lines are written.
 */
function section(name: string, found: ChainTable, wanted: ChainTable): string {
  const come = [...wanted.chains.keys()].filter((chain) => !found.chains.has(chain))
  const go = [...found.chains.keys()].filter((chain) => !wanted.chains.has(chain) && !COUNT_CHAIN.test(chain))
  const builtIn = [...new Set([...found.hooks.keys(), ...wanted.hooks.keys()])]
  const lines = [
    ...come.map((chain) => `:${chain} - [0:0]`),
    ...builtIn.flatMap((chain) =>
      surplus(found.hooks.get(chain) ?? [], wanted.hooks.get(chain) ?? []).map((line) => `-D ${chain} ${line}`),
    ),
    ...[...wanted.chains].flatMap(([chain, after]) => edits(chain, found.chains.get(chain) ?? [], after)),
    ...builtIn.flatMap((chain) =>
      surplus(wanted.hooks.get(chain) ?? [], found.hooks.get(chain) ?? []).map((line) => `-I ${chain} 1 ${line}`),
    ),
    ...go.map((chain) => `-F ${chain}`),
    ...go.map((chain) => `-X ${chain}`),
  ]
  return lines.length === 0 ? '' : [`*${name}`, ...lines, 'COMMIT', ''].join('\n')
}

/** Those of the first that the second does not have, as often as it lacks them. */
function surplus(first: readonly string[], second: readonly string[]): string[] {
  const rest = [...second]
  return first.filter((line) => {
    const at = rest.indexOf(line)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
}

/** What both begin and end with stays where it is, with all that the kernel keeps for such a line. */
function edits(chain: string, before: readonly string[], after: readonly string[]): string[] {
  const least = Math.min(before.length, after.length)
  let first = 0
  while (first < least && before[first] === after[first]) first += 1
  let last = 0
  while (last < least - first && before.at(-1 - last) === after.at(-1 - last)) last += 1
  const gone = Array.from({ length: before.length - first - last }, () => `-D ${chain} ${first + 1}`)
  const come = after
    .slice(first, after.length - last)
    .map((line, at) => (last === 0 ? `-A ${chain} ${line}` : `-I ${chain} ${first + 1 + at} ${line}`))
  return [...gone, ...come]
}
