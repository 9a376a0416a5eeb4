// Opens the store: one SQLite file that only its owner reads, durable at every commit.
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import SQLite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { migrate, MIGRATIONS, pendingMigrations } from './migrate.ts'
import type { Database } from './schema.ts'

export const IN_MEMORY = ':memory:'

/** The store at `path`, migrated to this build. A store that exists is first copied to `<path>.before-<migration>`. */
export const openStore = async (path: string, list = MIGRATIONS): Promise<Kysely<Database>> => {
  const isOld = path !== IN_MEMORY && existsSync(path)
  if (path !== IN_MEMORY) makePrivate(path)
  const sqlite = connect(path)
  const db = over(sqlite)
  try {
    const [first] = await pendingMigrations(db, list)
    if (isOld && first !== undefined) keepCopy(sqlite, `${path}.before-${first}`)
    if (first !== undefined) await migrate(sqlite, db, list)
    return db
  } catch (failure) {
    await db.destroy()
    throw failure
  }
}

/** A store that exists, as it is: for a program beside the daemon, which alone brings it up to its build. One that a newer build wrote is refused. */
export const openBeside = async (path: string): Promise<Kysely<Database>> => {
  const db = over(connect(path))
  try {
    await pendingMigrations(db)
    return db
  } catch (failure) {
    await db.destroy()
    throw failure
  }
}

const over = (sqlite: SQLite.Database): Kysely<Database> => new Kysely<Database>({ dialect: new SqliteDialect({ database: sqlite }) })

const connect = (path: string): SQLite.Database => {
  const sqlite = new SQLite(path)
  sqlite.pragma('journal_mode = WAL')
  sqlite.pragma('synchronous = FULL')
  sqlite.pragma('foreign_keys = ON')
  sqlite.pragma('busy_timeout = 5000')
  return sqlite
}

/** SQLite gives the -wal and -shm files the mode of the store itself. */
const makePrivate = (path: string): void => closeSync(openSync(path, 'a', 0o600))

/** Written beside and renamed, so a copy of that name is always whole. */
const keepCopy = (sqlite: SQLite.Database, copy: string): void => {
  const unfinished = `${copy}.unfinished`
  rmSync(unfinished, { force: true })
  makePrivate(unfinished)
  sqlite.prepare('VACUUM INTO ?').run(unfinished)
  renameSync(unfinished, copy)
}
