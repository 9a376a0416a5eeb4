// The panel's store: the platform's file with the migrations and tables of every feature.
import { openDatabase, openExistingDatabase } from '../platform/db/open.ts'
import type { NamedMigration } from '../platform/db/migrate.ts'
import type { Store } from '../platform/db/store.ts'
import { MIGRATIONS } from './migrations.ts'
import type { Database } from './schema.ts'

export type { Database } from './schema.ts'
export { IN_MEMORY } from '../platform/db/open.ts'

/**
 * These grow with time and can reach gigabytes, too much to check at each start; damage in them shows when they are
 * read.
 */
const HISTORY_TABLES: readonly (keyof Database)[] = [
  'audit_log',
  'monitor_bucket',
  'monitor_event',
  'monitor_tick',
  'route_bucket',
]

/** The store at `path`, migrated to this build. A store that exists is first copied to `<path>.before-<migration>`. */
export function openStore(path: string, migrations: readonly NamedMigration[] = MIGRATIONS): Promise<Store> {
  return openDatabase(path, { migrations, unchecked_tables: HISTORY_TABLES })
}

/**
 * An existing store, not migrated: for a program that runs beside the daemon. A store written by a newer build is
 * refused.
 */
export function openExistingStore(path: string): Promise<Store> {
  return openExistingDatabase(path, MIGRATIONS)
}
