// Saves the rows of a list for spreadsheets and scripts: each column has the name of its field in the API.
import { csvOf, type Cell } from './csv.ts'
import { saveFile } from './save-file.ts'

/** How each field of a row comes about. */
export type Fields<T> = Readonly<Record<string, (row: T) => Cell>>

/** The file is named after the list, with the day. */
export function saveCsv<T>(list: string, rows: readonly T[], fields: Fields<T>): void {
  const table = [Object.keys(fields), ...rows.map((row) => Object.values(fields).map((field) => field(row)))]
  saveFile(`${list}-${new Date().toISOString().slice(0, 10)}.csv`, csvOf(table), 'text/csv;charset=utf-8')
}

/** Several values in one cell. */
export const together = (values: readonly string[]): string => values.join('; ')
