// Checks the store's file before it is used, and finds the copies beside it.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import SQLite from 'better-sqlite3'
import { NOT_OURS } from './trouble.ts'

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

/** False of a store whose first migration was cut short. */
export function hasTables(sqlite: SQLite.Database): boolean {
  return sqlite.prepare("select 1 from sqlite_schema where type = 'table'").get() !== undefined
}

/** Every store of the panel has the record of its migrations. */
export function requireOurs(sqlite: SQLite.Database): void {
  const record = sqlite.prepare("select 1 from sqlite_schema where type = 'table' and name = 'kysely_migration'").get()
  if (!record && hasTables(sqlite)) throw new SQLite.SqliteError('it has none of the tables of the panel', NOT_OURS)
}

const COPY = '.before-'

const DAILY = '.daily-'

/** The copies of one day and of the one before it. */
export function dailyCopies(path: string): readonly [newest: string, before: string] {
  return [`${path}${DAILY}1`, `${path}${DAILY}2`]
}

/** The copy of the store as it was before that migration. */
export function copyBefore(path: string, migration: string): string {
  return `${path}${COPY}${migration}`
}

export function newestCopy(path: string): string | null {
  const copies = readdirSync(dirname(path)).filter(
    (name) => [COPY, DAILY].some((kind) => name.startsWith(`${basename(path)}${kind}`)) && !name.endsWith(UNFINISHED),
  )
  const aged = copies.map((name) => ({
    name: join(dirname(path), name),
    at: statSync(join(dirname(path), name)).mtimeMs,
  }))
  return aged.sort((a, b) => b.at - a.at)[0]?.name ?? null
}

/** Null without a folder, too. */
export function newestCopyIfAny(path: string): string | null {
  return existsSync(dirname(path)) ? newestCopy(path) : null
}

export const UNFINISHED = '.unfinished'
