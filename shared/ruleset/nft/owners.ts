// Which rule a piece of our table belongs to.
import { readMark } from '../mark.ts'
import type { Table } from './table.ts'

export function ruleIdsIn(text: string): number[] {
  return [...text.matchAll(/\b(?:rule|twice|from[46]|open[46])_([0-9]+)(?:_[rt]x)?\b/g)].map(([, id]) => Number(id))
}

/**
 * An element belongs to the rule whose mark or name it has; one that leads to the chain of a port belongs to all rules
 * of that port.
 */
export function elementOwners(set: string, key: string, value: string, { chains }: Table): number[] {
  const marks = [...key.split(' . '), value].flatMap((text) =>
    /^0x[0-9a-f]{8}$/.test(text) ? (readMark(Number(text))?.route_rule_id ?? []) : [],
  )
  const lines = chains.get(value.replace(/^goto /, ''))?.rules ?? []
  return [...new Set([...ruleIdsIn(set), ...ruleIdsIn(value), ...marks.slice(0, 1), ...lines.flatMap(ruleIdsIn)])]
}
