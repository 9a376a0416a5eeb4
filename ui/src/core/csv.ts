// Tables as text for spreadsheets and scripts (RFC 4180).

export type Cell = string | number | boolean | null

/** Excel takes a file without it for one of its own code page. */
const BYTE_ORDER_MARK = '\uFEFF'

/** The first row names the columns. Every row has as many cells. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  BYTE_ORDER_MARK + rows.map((row) => row.map(fieldOf).join(',') + '\r\n').join('')

/** A text that a spreadsheet would take for a formula is made one for the eye alone by an apostrophe before it. */
function fieldOf(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return `${cell}`
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
