// Brings the store up to this build: the list of all migrations, in the order in which they run.
import type SQLite from 'better-sqlite3'
import { Migrator, type Kysely, type Migration, type MigrationProvider } from 'kysely'
import * as diagnostics from '../../features/diagnostics/migration.ts'
import * as metrics from '../../features/metrics/migration.ts'
import * as monitor from '../../features/monitor/migration.ts'
import * as pools from '../../features/pools/migration.ts'
import * as routes from '../../features/routes/migration.ts'
import * as routeConnections from '../../features/routes/migration-connections.ts'
import * as routeRanges from '../../features/routes/migration-ranges.ts'
import * as tunnelKeepalive from '../../features/tunnels/migration-keepalive.ts'
import * as settings from '../../features/settings/migration.ts'
import * as tunnels from '../../features/tunnels/migration.ts'
import * as accountsAndAudit from '../../features/auth/migration.ts'
import type { Database } from '../../app/schema.ts'

export interface NamedMigration {
  readonly name: string
  readonly migration: Migration
}

/** Named 001-accounts-and-audit, 002-pools, 003-tunnels and on; a name never changes once it is released. */
export const MIGRATIONS: readonly NamedMigration[] = [
  accountsAndAudit,
  pools,
  tunnels,
  tunnelKeepalive,
  settings,
  metrics,
  routes,
  monitor,
  routeConnections,
  diagnostics,
  routeRanges,
]

export class StoreTooNewError extends Error {
  constructor(unknown: readonly string[]) {
    super(
      `The store was written by a newer build (it has ${unknown.join(', ')}). Install that build again, or put back a copy of the store made before it.`,
    )
    this.name = 'StoreTooNewError'
  }
}

/** The names of the migrations that the store lacks, in order; refuses a store that has some which this build does not know. */
export const pendingMigrations = async (db: Kysely<Database>, list = MIGRATIONS): Promise<string[]> => {
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
export const migrate = async (sqlite: SQLite.Database, db: Kysely<Database>, list = MIGRATIONS): Promise<void> => {
  sqlite.exec('BEGIN IMMEDIATE')
  const { error } = await new Migrator({ db, provider: providerOf(list) }).migrateToLatest()
  if (!error) sqlite.exec('COMMIT')
  else if (sqlite.inTransaction) sqlite.exec('ROLLBACK')
  if (error) throw error
}

const migrationsDone = async (db: Kysely<Database>): Promise<string[]> => {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return []
  const rows = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute()
  return rows.map((row) => row.name)
}

const providerOf = (list: readonly NamedMigration[]): MigrationProvider => ({
  getMigrations: async () => Object.fromEntries(list.map((m) => [m.name, m.migration])),
})
