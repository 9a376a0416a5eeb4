// Brings the store up to this build by the migrations that it lacks, in their order.
import type SQLite from 'better-sqlite3'
import { Migrator, type Kysely, type Migration, type MigrationProvider } from 'kysely'
import type { Database } from './database.ts'

export interface NamedMigration {
  readonly name: string
  readonly migration: Migration
}

export class StoreTooNewError extends Error {
  constructor(unknown: readonly string[]) {
    super(
      `The store was written by a newer build (it has ${unknown.join(', ')}). Install that build again, or put back a copy of the store made before it.`,
    )
    this.name = 'StoreTooNewError'
  }
}

/** The names of the migrations that the store lacks, in order; refuses a store that has some which this build does not know. */
export const pendingMigrations = async (db: Kysely<Database>, list: readonly NamedMigration[]): Promise<string[]> => {
  const known = list.map((m) => m.name)
  const done = await migrationsDone(db)
  const unknown = done.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new StoreTooNewError(unknown)
  return known.filter((name) => !done.includes(name))
}

/**
 * Runs what is pending in one transaction, so a store is either as it was or wholly migrated. Kysely holds SQLite for unable to do so
 * and begins none; over the one connection that there is, this one spans all that it does.
 */
export const migrate = async (
  sqlite: SQLite.Database,
  db: Kysely<Database>,
  list: readonly NamedMigration[],
): Promise<void> => {
  sqlite.exec('BEGIN IMMEDIATE')
  const { error } = await new Migrator({ db, provider: migrationProvider(list) }).migrateToLatest()
  if (!error) sqlite.exec('COMMIT')
  else if (sqlite.inTransaction) sqlite.exec('ROLLBACK')
  if (error) throw error
}

const migrationsDone = async (db: Kysely<Database>): Promise<string[]> => {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return []
  const rows = await db.selectFrom('kysely_migration').select('name').execute()
  return rows.map((row) => row.name)
}

const migrationProvider = (list: readonly NamedMigration[]): MigrationProvider => ({
  getMigrations: async () => Object.fromEntries(list.map((m) => [m.name, m.migration])),
})
