// Checks the store's file before it is used, and finds the copies beside it.
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import SQLite from 'better-sqlite3'

/** Throws if SQLite finds damage in a table, other than in those left out. */
export function checkIntegrity(sqlite: SQLite.Database, unchecked_tables: readonly string[]): void {
  const tables = sqlite
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .pluck()
    .all() as string[]
  for (const table of tables.filter((name) => !unchecked_tables.includes(name))) {
    const found = sqlite.pragma(`integrity_check('${table}')`, { simple: true })
    if (found !== 'ok') throw new SQLite.SqliteError(String(found).replaceAll('\n', '; '), 'SQLITE_CORRUPT')
  }
}

const COPY = '.before-'

/** The copy of the store as it was before that migration. */
export function copyBefore(path: string, migration: string): string {
  return `${path}${COPY}${migration}`
}

export function newestCopy(path: string): string | null {
  const copies = readdirSync(dirname(path)).filter(
    (name) => name.startsWith(`${basename(path)}${COPY}`) && !name.endsWith(UNFINISHED),
  )
  const aged = copies.map((name) => ({
    name: join(dirname(path), name),
    at: statSync(join(dirname(path), name)).mtimeMs,
  }))
  return aged.sort((a, b) => b.at - a.at)[0]?.name ?? null
}

export const UNFINISHED = '.unfinished'
