// Runs the migrations that the store lacks, in their order.
import type SQLite from 'better-sqlite3'
import { Migrator, type Kysely, type Migration, type MigrationProvider } from 'kysely'
import type { Database } from './database.ts'

export interface NamedMigration {
  readonly name: string
  readonly migration: Migration
}

/** What else stands in a damaged store is in no message. */
const LIKE_OURS = /^\d{3}-[a-z0-9-]{1,60}$/
const numberOf = (name: string): string => name.slice(0, 3)

export class StoreTooNewError extends Error {
  constructor(unknown: readonly string[]) {
    const names = unknown.filter((name) => LIKE_OURS.test(name))
    super(
      `The store was written by a newer build${names.length > 0 ? ` (it has ${names.join(', ')})` : ''}. Install that build again, or put back a copy of the store made before it.`,
    )
    this.name = 'StoreTooNewError'
  }
}

/** The numbers of its migrations are taken by others, which no release ever does. */
export class StoreUnreleasedError extends Error {
  constructor(others: readonly string[]) {
    super(
      `The store was written by a version that was never released (it has ${others.join(', ')}), and this version cannot migrate it. To keep what it holds, install that version again and export a backup.`,
    )
    this.name = 'StoreUnreleasedError'
  }
}

/** The pending migrations, in order. Throws if the store has migrations that this build does not know. */
export async function pendingMigrations(db: Kysely<Database>, list: readonly NamedMigration[]): Promise<string[]> {
  const known = list.map((m) => m.name)
  const done = await migrationsDone(db)
  const unknown = done.filter((name) => !known.includes(name))
  const numbers = new Set(known.map(numberOf))
  const others = unknown.filter((name) => LIKE_OURS.test(name) && numbers.has(numberOf(name)))
  if (others.length > 0) throw new StoreUnreleasedError(others)
  if (unknown.length > 0) throw new StoreTooNewError(unknown)
  return known.filter((name) => !done.includes(name))
}

/**
 * Runs all pending migrations in one transaction, so that the store is migrated wholly or not at all. Kysely assumes
 * that SQLite has no transactional DDL and begins none; there is only one connection, so this one covers everything.
 */
export async function migrate(
  sqlite: SQLite.Database,
  db: Kysely<Database>,
  list: readonly NamedMigration[],
): Promise<void> {
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
