// What a change of some rules makes of our chains in one family while other rules may be damaged or missing: those stay
// exactly as they are found. Pure.
import { patchLines, type Versions } from '../patch-lines.ts'
import { ruleIdsIn } from './owners.ts'
import { emptyTables, TABLES, type ChainTable, type FamilyTables } from './tables.ts'

/**
 * `before` and `after` are what the rules that can be read compile to; `ids` are the rules that the change is about.
 */
export function patchTables(versions: Versions<FamilyTables>, ids: ReadonlySet<number>): FamilyTables {
  const tables = emptyTables()
  for (const name of TABLES)
    patchChainTable(
      { found: versions.found[name], before: versions.before[name], after: versions.after[name] },
      tables[name],
      ids,
    )
  return tables
}

function patchChainTable(versions: Versions<ChainTable>, table: ChainTable, ids: ReadonlySet<number>): void {
  const owners = lineOwners(versions)
  const line = {
    isChanged: (text: string) => owners(text).some((id) => ids.has(id)),
    isOfOthers: (text: string) => owners(text).length > 0,
  }
  for (const builtIn of chainNames(versions, 'hooks')) {
    const lines = patchLines(pick(versions, 'hooks', builtIn), line)
    if (lines.length > 0) table.hooks.set(builtIn, lines)
  }
  for (const chain of chainNames(versions, 'chains')) {
    const { found, before, after } = versions
    const named = ruleIdsIn(chain)
    const isUntouched = before.chains.get(chain)?.join('\n') === after.chains.get(chain)?.join('\n')
    const isAlone = named.length > 0 && !named.some((id) => ids.has(id))
    const lines = isAlone
      ? (isUntouched ? found : after).chains.get(chain)
      : named.length > 0
        ? after.chains.get(chain)
        : sharedLines(pick(versions, 'chains', chain), after.chains.has(chain), line)
    if (lines) table.chains.set(chain, [...lines])
  }
  addReferenced(versions, table)
}

/** A chain that no legible rule needs stays while it has lines of another rule. */
function sharedLines(
  versions: Versions<readonly string[]>,
  isWanted: boolean,
  line: Parameters<typeof patchLines>[1],
): string[] | undefined {
  const lines = patchLines(versions, line)
  return isWanted || lines.length > 0 ? lines : undefined
}

const chainNames = ({ found, after }: Versions<ChainTable>, part: 'hooks' | 'chains'): Set<string> =>
  new Set([...after[part].keys(), ...found[part].keys()])

const pick = (
  { found, before, after }: Versions<ChainTable>,
  part: 'hooks' | 'chains',
  name: string,
): Versions<readonly string[]> => ({
  found: found[part].get(name) ?? [],
  before: before[part].get(name) ?? [],
  after: after[part].get(name) ?? [],
})

/** A line that leads to a chain which no legible rule needs belongs to the rules of that chain. */
function lineOwners({ found, before, after }: Versions<ChainTable>): (line: string) => number[] {
  return (line) => {
    const ids = ruleIdsIn(line)
    const chain = /-j (PANEL-[A-Z0-9-]+)$/.exec(line)?.[1]
    if (ids.length > 0 || chain === undefined || before.chains.has(chain) || after.chains.has(chain)) return ids
    return (found.chains.get(chain) ?? []).flatMap(ruleIdsIn)
  }
}

/** A line that stays or comes needs the chain that it leads to. */
function addReferenced({ found, after }: Versions<ChainTable>, { hooks, chains }: ChainTable): void {
  for (const lines of [...hooks.values(), ...chains.values()]) {
    for (const [, name = ''] of lines.join('\n').matchAll(/-j (PANEL-[A-Z0-9-]+)$/gm)) {
      const lost = after.chains.get(name) ?? found.chains.get(name)
      if (lost && !chains.has(name)) chains.set(name, [...lost])
    }
  }
}
