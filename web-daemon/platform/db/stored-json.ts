// Reads a value that the store holds as JSON.
import SQLite from 'better-sqlite3'

/** What is no JSON is damage like any other. The words of JSON.parse are left out: they quote what the value holds. */
export function fromStoredJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new SQLite.SqliteError('a value of the store is not JSON', 'SQLITE_CORRUPT')
  }
}
