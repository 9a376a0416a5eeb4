// Which rules a chain or a line of ours belongs to.
import { readMark } from '../mark.ts'

/** Finds the ids by the names of chains and the marks in the text. */
export function ruleIdsIn(text: string): number[] {
  const names = [...text.matchAll(/PANEL-[RSDC]-([0-9]+)/g)].map(([, id]) => Number(id))
  const marks = [...text.matchAll(/--mark (0x[0-9a-f]+)\/0xffffff00/g)].flatMap(
    ([, mark]) => readMark(Number(mark))?.route_rule_id ?? [],
  )
  return [...new Set([...names, ...marks])].filter((id) => id > 0)
}
