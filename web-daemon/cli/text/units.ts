// Values as a person reads them in a table.
import type { Cell, Measure, Unit } from '@panel/shared/api/columns/listing.ts'

/** What is not known or not there. */
const NOTHING = '-'

export function formatCell(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return NOTHING
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  if (Array.isArray(cell)) return cell.length === 0 ? NOTHING : cell.join(', ')
  return isMeasure(cell) ? formatMeasure(cell) : String(cell).replaceAll(/\s+/g, ' ')
}

export const isMeasure = (cell: Cell): cell is Measure => typeof cell === 'object' && cell !== null && 'unit' in cell

const formatMeasure = ({ unit, amount }: Measure): string =>
  amount === null ? NOTHING : typeof amount === 'string' ? formatInstant(amount) : FORMATS[unit](amount)

const FORMATS: Readonly<Record<Unit, (amount: number) => string>> = {
  bytes: (amount) => `${scaled(amount)}B`,
  // Throughput is in bits, volumes in bytes, as on the page.
  rate: (amount) => `${scaled(amount * 8)}bit/s`,
  seconds: formatSeconds,
  milliseconds: (amount) => `${rounded(amount)} ms`,
  percent: (amount) => `${rounded(amount)} %`,
  instant: String,
}

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P']

/** Thousands, with three digits at most: "1.5 M", "340 k". */
function scaled(amount: number): string {
  const power = Math.min(PREFIXES.length - 1, amount < 1 ? 0 : Math.floor(Math.log10(Math.round(amount)) / 3))
  return `${rounded(amount / 1000 ** power)} ${PREFIXES[power]}`
}

const rounded = (amount: number): string =>
  amount < 10 ? String(Math.round(amount * 10) / 10) : String(Math.round(amount))

/** The two largest parts: "3 d 4 h", "12 s". */
function formatSeconds(amount: number): string {
  const whole = Math.round(amount)
  const parts = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  const shown = first < 0 ? [] : parts.slice(first, first + 2).filter(([count]) => count > 0)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ') || '0 s'
}

/** To the second, in UTC as everything of the API: "2026-11-29 13:04:05Z". */
const formatInstant = (text: string): string => text.replace('T', ' ').replace(/\.\d+Z$/, 'Z')
