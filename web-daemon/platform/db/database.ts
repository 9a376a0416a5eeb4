// The tables of the store by name, for Kysely. Each feature adds its own to `Database` in its table.ts, so the platform
// names none of them.
import type { Transaction } from 'kysely'

/** Filled by declaration merging: `declare module './database.ts' { interface Database extends PoolTables {} }`. */
export interface Database {
  /** Kysely's own record of the migrations that have run. */
  kysely_migration: { name: string; timestamp: string }
}

export type StoreTransaction = Transaction<Database>
