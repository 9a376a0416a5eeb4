// The tables of the store by name, for Kysely. Each feature adds its own to `Database` in its table.ts, so the platform
// names none of them.

/** Filled by declaration merging: `declare module './database.ts' { interface Database extends PoolTables {} }`. */
export interface Database {
  /** Kysely's own record of the migrations that have run. */
  kysely_migration: { name: string; timestamp: string }
}
