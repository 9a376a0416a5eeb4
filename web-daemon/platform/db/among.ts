// Rows by a list of ids, or of names.
import { sql } from 'kysely'

/** However many they are: SQLite takes only so many variables. */
export const isAmong = (column: string, ids: readonly number[]) =>
  sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(ids)}))`

/** Objects by their kinds and keys, however many they are. */
export const areAmong = (objects: readonly { readonly kind: string; readonly target_key: string }[]) => {
  const names = JSON.stringify(objects.map(({ kind, target_key }) => [kind, target_key]))
  return sql<boolean>`(kind, target_key) in (select value ->> 0, value ->> 1 from json_each(${names}))`
}
