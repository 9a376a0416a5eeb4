// Search without regard to case in every script: SQLite's own lower() knows ASCII alone.
import type SQLite from 'better-sqlite3'
import { sql, type RawBuilder } from 'kysely'

/** Upper case comes last: an s at the end of a Greek word has two lower ones. */
const foldCase = (text: string): string => text.normalize('NFC').toLowerCase().toUpperCase()

export function addFoldCase(sqlite: SQLite.Database): void {
  sqlite.function('fold_case', { deterministic: true }, (text) => (typeof text === 'string' ? foldCase(text) : text))
}

/** What titles that differ in case alone have in common. */
export const titleKey = (title: string): string => title.normalize('NFC').toLowerCase()

/** instr has no wildcards, so what the operator types is what is looked for. `text`: a column, or an expression. */
export const holds = (text: string | RawBuilder<unknown>, search: string): RawBuilder<boolean> =>
  sql<boolean>`instr(fold_case(${typeof text === 'string' ? sql.ref(text) : text}), ${foldCase(search)}) > 0`
