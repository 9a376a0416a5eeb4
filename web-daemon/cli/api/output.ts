// An answer of the API as JSON, as a table of what it lists, or as lines of names and values.
import { LISTINGS } from '@panel/shared/api/columns/all.ts'
import type { Also, Cell, Listing } from '@panel/shared/api/columns/listing.ts'
import { table, type TableColumn } from '../text/layout.ts'
import { formatCell, isMeasure } from '../text/units.ts'

export type Fields = Readonly<Record<string, unknown>>

export interface Manner {
  readonly output: 'json' | 'table'
  /** The columns of the terminal; null where the output goes elsewhere. */
  readonly width: number | null
  readonly isWide: boolean
  readonly also: Also
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const listingsOf = (route: string): readonly Listing[] =>
  (LISTINGS as Readonly<Record<string, readonly Listing[]>>)[route] ?? []

export function formatAnswer(route: string, answer: unknown, manner: Manner): string {
  if (manner.output === 'json' || !isFields(answer)) return `${JSON.stringify(answer, null, 2)}\n`
  const listings = listingsOf(route)
  return listings.length === 0 ? formatObject(answer) : formatLists(listings, answer, manner)
}

/** Null unless there is more than was listed. */
export function describeRest(route: string, answer: unknown): string | null {
  const [listing] = listingsOf(route)
  if (!listing || !isFields(answer) || typeof answer['total'] !== 'number') return null
  const listed = itemsOf(listing, answer).length
  const { offset } = answer
  if (listed >= answer['total'] || typeof offset !== 'number') return null
  return `${listed} of ${answer['total']} are listed; --limit and --offset list the others.\n`
}

const itemsOf = ({ items }: Listing, answer: Fields): readonly never[] => (answer[items] ?? []) as readonly never[]

function formatLists(listings: readonly Listing[], answer: Fields, manner: Manner): string {
  const filled = listings.filter((one) => itemsOf(one, answer).length > 0)
  if (filled.length === 0) return 'None.\n'
  return filled.map((one) => formatList(one, itemsOf(one, answer), manner)).join('\n')
}

function formatList({ columns, extra }: Listing, items: readonly never[], { width, isWide, also }: Manner): string {
  const column = (isExtra: boolean) => {
    return ([title, value]: [string, (item: never, also: Also) => Cell]): TableColumn => {
      const cells = items.map((item) => value(item, also))
      return { title, cells: cells.map(formatCell), isExtra, isNumber: cells.every(isNumber) }
    }
  }
  const more = isWide || width !== null ? Object.entries(extra).map(column(!isWide)) : []
  return table([...Object.entries(columns).map(column(false)), ...more], isWide ? null : width)
}

const isNumber = (cell: Cell): boolean =>
  cell === null || cell === undefined || typeof cell === 'number' || (isMeasure(cell) && cell.unit !== 'instant')

/** The noun that a request changed or that an answer shows; its fields come first, without its name. */
const SUBJECTS = ['tunnel', 'route', 'network', 'listener']
/** How a change was carried out, which -o json shows. */
const LEFT_OUT = ['plan', 'verification']

function formatObject(answer: Fields): string {
  const rest = Object.entries(answer).filter(([name, value]) => !(isFields(value) && LEFT_OUT.includes(name)))
  const subject = rest.find(([name, value]) => SUBJECTS.includes(name) && isFields(value))
  const shown = rest.length === 0 ? Object.entries(answer) : rest
  const entries = subject ? [...Object.entries(subject[1] as Fields), ...shown.filter((one) => one !== subject)] : shown
  return lines(entries, '')
}

/** The same for another language. */
const isMessage = (name: string, value: unknown): boolean => /_messages?$/.test(name) && typeof value === 'object'

function lines(entries: readonly (readonly [string, unknown])[], indent: string): string {
  return entries
    .filter(([name, value]) => !isMessage(name, value))
    .map(([name, value]) => `${indent}${name}:${valueText(name, value, indent)}`)
    .join('')
}

function valueText(name: string, value: unknown, indent: string): string {
  const deeper = `${indent}  `
  if (name === 'warnings' && Array.isArray(value) && value.length > 0)
    return `\n${value.map((one: Fields) => `${deeper}- ${String(one['message'])}\n`).join('')}`
  if (Array.isArray(value) && value.some(isFields))
    return `\n${value.map((one: Fields) => `${deeper}- ${lines(Object.entries(one), `${deeper}  `).trimStart()}`).join('')}`
  if (isFields(value) && Object.keys(value).length > 0) return `\n${lines(Object.entries(value), deeper)}`
  return ` ${isFields(value) ? '-' : formatValue(value as Cell)}\n`
}

/** Lines are for scripts too: yes and no are JSON's words. */
const formatValue = (value: Cell): string => (typeof value === 'boolean' ? String(value) : formatCell(value))
