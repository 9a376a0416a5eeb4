// What a table of an earlier release gets that did not count new connections.
import { hex, readMark, ruleMark } from '../mark.ts'
import { ARRIVED, constantTable, newArrived } from './constant.ts'
import { isFastIn } from './fast-path.ts'
import type { Table } from './table.ts'

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
