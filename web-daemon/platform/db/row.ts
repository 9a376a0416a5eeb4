// Between a record and its row: SQLite has neither flags, lists nor objects, so a flag is 0 or 1 and the others are
// their JSON text.
import { columnsOf, type ColumnsOf, type FieldList, type RecordOf } from '@panel/shared/api/base/field-list.ts'
import { fromStoredJson } from './stored-json.ts'

type Shared<A, B> = Pick<B, keyof A & keyof B>

export interface Rows<F extends FieldList> {
  /** What is in no column is left out. */
  readonly toRow: <R extends Partial<RecordOf<F>>>(record: R) => Shared<R, ColumnsOf<F>>
  readonly fromRow: <R extends ColumnsOf<F>>(row: R) => Shared<R, RecordOf<F>>
}

export function rowsOf<F extends FieldList>(fields: F): Rows<F> {
  const columns = columnsOf(fields)
  const toRow = (record: Readonly<Record<string, unknown>>) => {
    const row: Record<string, unknown> = {}
    for (const { name, kind } of columns) {
      const value = record[name]
      if (value !== undefined) row[name] = value === null || kind === 'plain' ? value : written(kind, value)
    }
    return row
  }
  const fromRow = (row: Readonly<Record<string, unknown>>) => {
    const record: Record<string, unknown> = {}
    for (const { name, kind } of columns) {
      const value = row[name]
      record[name] = value === null || kind === 'plain' ? value : read(kind, value)
    }
    return record
  }
  return { toRow, fromRow } as unknown as Rows<F>
}

const written = (kind: 'flag' | 'json', value: unknown): unknown =>
  kind === 'flag' ? Number(value) : JSON.stringify(value)
// A list of records may be of ten thousand, and most lists in them are empty.
const read = (kind: 'flag' | 'json', value: unknown): unknown =>
  kind === 'flag' ? value === 1 : value === '[]' ? [] : (fromStoredJson(String(value)) as unknown)
