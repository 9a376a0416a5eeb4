// What a table of an earlier release gets: it did not count new connections, and let the fast path take every flow.
import { hex, readMark, ruleMark } from '../mark.ts'
import { ARRIVED, constantTable, newArrived } from './constant.ts'
import { addFastPath, isFastIn } from './fast-path.ts'
import { emptyTable, type Table } from './table.ts'

/** Whatever else its rules have or lack stays as it is. */
export function withArrived({ counters, sets, chains }: Table): Table {
  const arrived = newArrived()
  for (const mark of sets.get('relay_order')?.elements?.keys() ?? []) {
    const id = readMark(Number(mark))?.route_rule_id ?? 0
    arrived.elements?.set(hex(ruleMark(id, 0, isFastIn({ counters, sets, chains }, id))), '')
  }
  const { rules = [] } = constantTable().chains.get('relayed') ?? {}
  return {
    counters,
    sets: new Map(sets).set(ARRIVED, arrived),
    chains: new Map(chains).set('relayed', { declaration: '', rules }),
  }
}

/** The table with the line that offloads as this release has it; the same object where it has that, or none. */
export function withSlowAnswers(table: Table): Table {
  const wanted = emptyTable()
  addFastPath(wanted)
  const [line, held] = [wanted.chains.get('fast_path'), table.chains.get('fast_path')]
  if (!line || !held || held.rules.join() === line.rules.join()) return table
  return { ...table, chains: new Map(table.chains).set('fast_path', line) }
}
