// The destination that a foreign rule asks for, in short.
import type { ForeignCondition, ForeignRule } from './model.ts'
import { portRange } from './ranges.ts'

/** "" and null are any; ports are the range from the first to the last. */
export interface RuleSummary {
  readonly protocol: string
  readonly address: string
  readonly port: number | null
  readonly port_end: number | null
}

export function summaryOf({ branches }: ForeignRule): RuleSummary {
  const [only, ...more] = branches
  const conditions = more.length === 0 ? (only?.conditions ?? []) : []
  const valuesOf = (field: ForeignCondition['field']): readonly string[] =>
    conditions.find((one) => one.field === field && !one.is_not)?.values ?? []
  const [[protocol = ''], [address = '', ...addresses]] = [valuesOf('protocol'), valuesOf('destination')]
  const ports = valuesOf('destination_port').map(portRange)
  const first = ports.length === 0 ? null : Math.min(...ports.map((range) => Number(range.first)))
  const last = ports.length === 0 ? null : Math.max(...ports.map((range) => Number(range.last)))
  return {
    protocol,
    address: addresses.length === 0 ? address : '',
    port: first,
    port_end: last === first ? null : last,
  }
}
