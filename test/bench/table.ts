// The figures as an aligned table: each row beside its section's reference, and beside its aim where it has one.
import { median, percentile } from './figures.ts'

export interface Row {
  readonly what: string
  readonly median: string
  readonly p95?: string
  readonly ratio?: string
  readonly aim?: string
  readonly isMet?: boolean
}

export interface Section {
  readonly title: string
  readonly rows: readonly Row[]
}

export interface Aim {
  readonly says: string
  readonly below_ms: number
}

/** At most so many times what the reference takes in the same run. */
export interface Share {
  readonly of_reference: number
}

const HEADS = ['', 'median', 'p95', 'to reference', 'aim', ''] as const

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : value < 1000 ? 1 : 0)} ms`
export const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

/** Without a reference the row is the reference itself. */
export function timed(what: string, samples: readonly number[], reference?: readonly number[], aim?: Aim | Share): Row {
  const middle = median(samples)
  const bound = aim && boundOf(aim, reference)
  return {
    what,
    median: ms(middle),
    p95: ms(percentile(samples, 95)),
    ratio: reference ? `× ${(middle / median(reference)).toFixed(2)}` : 'reference',
    ...(bound && { aim: bound.says, isMet: middle < bound.below_ms }),
  }
}

const boundOf = (aim: Aim | Share, reference: readonly number[] = []): Aim =>
  'says' in aim ? aim : { says: `≤ × ${aim.of_reference}`, below_ms: aim.of_reference * median(reference) }

export function asTable(sections: readonly Section[]): string {
  const tables = sections.map(({ title, rows }) => ({ title, lines: rows.map(cellsOf) }))
  const all = [[...HEADS], ...tables.flatMap(({ lines }) => lines)]
  const widths = HEADS.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)))
  const aligned = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => (at === 0 || at > 3 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  return tables.map(({ title, lines }) => ['', title, aligned(HEADS), ...lines.map(aligned)].join('\n')).join('\n')
}

const cellsOf = ({ what, median: middle, p95 = '', ratio = '', aim = '', isMet }: Row): string[] => [
  `  ${what}`,
  middle,
  p95,
  ratio,
  aim,
  isMet === undefined ? '' : isMet ? 'met' : 'missed',
]
