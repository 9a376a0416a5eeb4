// Whether a store holds the tables that its migrations make, and nothing beside them: a trigger or a view would decide
// what is stored of what the panel writes.
import SQLite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { migrate, pendingMigrations, type NamedMigration } from './migrate.ts'
import type { Database } from './database.ts'
import { addFoldCase } from './search.ts'
import { ALTERED } from './trouble.ts'

/** Throws if the schema of the store is not what the migrations make that it says were run. */
export async function requireMadeByUs(
  sqlite: SQLite.Database,
  db: Kysely<Database>,
  migrations: readonly NamedMigration[],
): Promise<void> {
  const pending = new Set(await pendingMigrations(db, migrations))
  const made = await schemaAfter(migrations.filter(({ name }) => !pending.has(name)))
  if (schemaOf(sqlite) !== made) throw new SQLite.SqliteError('its schema is not what the migrations make', ALTERED)
}

async function schemaAfter(migrations: readonly NamedMigration[]): Promise<string> {
  const sqlite = new SQLite(':memory:')
  addFoldCase(sqlite)
  const db = new Kysely<Database>({ dialect: new SqliteDialect({ database: sqlite }) })
  try {
    if (migrations.length > 0) await migrate(sqlite, db, migrations)
    return schemaOf(sqlite)
  } finally {
    await db.destroy()
  }
}

/** The statistics of SQLite itself are no part of it. */
const schemaOf = (sqlite: SQLite.Database): string =>
  JSON.stringify(
    sqlite
      .prepare(
        "select type, name, tbl_name, sql from sqlite_schema where name not like 'sqlite_stat%' and name <> 'sqlite_sequence' order by type, name",
      )
      .all(),
  )
