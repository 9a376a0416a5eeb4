// Rows of things that come back: what was deleted stays in its table, marked, so that its id keeps its meaning.
import { sql, type Kysely } from 'kysely'
import type { Database } from './database.ts'

type Marking = 'tunnel' | 'network' | 'route_rule'

/** Stores a row under an id that is new, or that of a row which was deleted. Throws where the id is in use. */
export async function insertUnder(
  db: Kysely<Database>,
  { table, key }: { readonly table: Marking; readonly key: string },
  id: number,
  row: object,
): Promise<void> {
  const values = Object.entries({ ...row, deleted_date: null })
  const columns = values.map(([name]) => sql.ref(name))
  const { numAffectedRows } = await sql`
    insert into ${sql.table(table)} (${sql.ref(key)}, ${sql.join(columns)})
    values (${id}, ${sql.join(values.map(([, value]) => value))})
    on conflict (${sql.ref(key)})
    do update set ${sql.join(columns.map((column) => sql`${column} = excluded.${column}`))}
    where ${sql.table(table)}.deleted_date is not null`.execute(db)
  if (numAffectedRows !== 1n) throw new Error(`The id ${id} of ${table} is in use`)
}
