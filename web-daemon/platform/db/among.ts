// Rows by a list of ids.
import { sql } from 'kysely'

/** However many they are: SQLite takes only so many variables. */
export const isAmong = (column: string, ids: readonly number[]) =>
  sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(ids)}))`
