// Text laid out for a terminal: how wide it is, how wide a text is in it, lines that are broken between words, tables.
import { visible } from '../print.ts'

/** Takes two columns of a terminal, as Chinese characters do. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u
/** Takes none, as an accent on the character before it. */
const NARROW = /^[\p{Mn}\p{Me}\p{Cf}]$/u

export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  return [...text].reduce((sum, one) => sum + (NARROW.test(one) ? 0 : WIDE.test(one) ? 2 : 1), 0)
}

/** Lines of at most this width. A word that is longer is broken. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((one) => broken(one, width))) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

function broken(word: string, width: number): string[] {
  if (widthOf(word) <= width) return [word]
  const parts = ['']
  for (const one of word)
    if (widthOf(`${parts.at(-1)}${one}`) > width) parts.push(one)
    else parts[parts.length - 1] += one
  return parts
}

const GAP = '  '
/** No column is made narrower. */
const LEAST = 8

export interface TableColumn {
  readonly title: string
  readonly cells: readonly string[]
  /** Left out, from the last on, where the table would not fit otherwise. */
  readonly isExtra: boolean
  readonly isNumber: boolean
}

/** `width`: of the terminal; null is none, and everything stands on one line. */
export function table(all: readonly TableColumn[], width: number | null): string {
  const measured = all.map((one) => {
    const cells = one.cells.map((cell) => visible(cell))
    return { ...one, cells, width: Math.max(widthOf(one.title), ...cells.map(widthOf)) }
  })
  const columns = width === null ? measured : narrowed(fitting(measured, width), width)
  const line = (cells: readonly string[][]): string =>
    Array.from({ length: Math.max(...cells.map((lines) => lines.length)) }, (_, at) =>
      `${columns.map((column, place) => padded(cells[place]?.[at] ?? '', column)).join(GAP)}`.trimEnd(),
    ).join('\n')
  const rows = (columns[0]?.cells ?? []).map((_, row) => columns.map((one) => wrap(one.cells[row] ?? '', one.width)))
  return [columns.map(({ title }) => [title]), ...rows].map((cells) => `${line(cells)}\n`).join('')
}

type Measured = TableColumn & { readonly width: number }

const padded = (text: string, { width, isNumber }: Measured): string => {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)))
  return isNumber ? blanks + text : text + blanks
}

const totalOf = (columns: readonly Measured[]): number =>
  columns.reduce((sum, { width }) => sum + width, GAP.length * (columns.length - 1))

/** Extra columns come as long as everything fits without a line being broken. */
function fitting(all: readonly Measured[], width: number): readonly Measured[] {
  const columns = all.filter(({ isExtra }) => !isExtra)
  for (const extra of all.filter(({ isExtra }) => isExtra))
    if (totalOf([...columns, extra]) <= width) columns.push(extra)
  return columns
}

/** Makes the widest ones narrower, all to the same width: between words as long as that is enough, else within them. */
function narrowed(columns: readonly Measured[], width: number): readonly Measured[] {
  const least = columns.map((one) => Math.max(one.title.length, ...one.cells.map(longestWord)))
  const whole = fitted(columns, width, least)
  return totalOf(whole) <= width
    ? whole
    : fitted(
        whole,
        width,
        columns.map((one) => Math.max(one.title.length, LEAST)),
      )
}

const longestWord = (text: string): number => Math.max(...text.split(' ').map(widthOf))

function fitted(columns: readonly Measured[], width: number, least: readonly number[]): readonly Measured[] {
  let most = Math.max(...columns.map((one) => one.width))
  const capped = (): Measured[] =>
    columns.map((one, at) => ({ ...one, width: Math.min(one.width, Math.max(most, least[at] ?? 0)) }))
  while (most > LEAST && totalOf(capped()) > width) most--
  return capped()
}
