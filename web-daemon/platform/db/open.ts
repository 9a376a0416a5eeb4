// Opens the store: one SQLite file that only its owner can read, checked before use, durable at every commit.
import { accessSync, closeSync, constants, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'
import { checkIntegrity, copyBefore, hasTables, newestCopyIfAny, requireOurs, UNFINISHED } from './check.ts'
import { requireMadeByUs } from './made-by-us.ts'
import { migrate, pendingMigrations, type NamedMigration } from './migrate.ts'
import { BusyRetryDialect } from './busy-retry.ts'
import { openReadableCopy } from './readable-copy.ts'
import { addFoldCase } from './search.ts'
import { BUSY_WAIT_MS, StoreState } from './state.ts'
import { Store } from './store.ts'
import { syncPath } from './sync-path.ts'
import { StoreFile } from './store-file.ts'
import { fileTrouble, StoreUnusableError } from './trouble.ts'

export const IN_MEMORY = ':memory:'

export interface StoreSchema {
  readonly migrations: readonly NamedMigration[]
  /** Left out of the check for damage at each start. */
  readonly unchecked_tables: readonly string[]
}

/**
 * The store at `path`, migrated to this build. A store that exists is first copied to `<path>.before-<migration>`. On a
 * disk that is full or read-only it can be read if nothing is to be migrated.
 */
export function openDatabase(path: string, schema: StoreSchema): Promise<Store> {
  const isOld = path !== IN_MEMORY && existsSync(path)
  return explainFailure(path, () =>
    openToWrite(path, schema, isOld).catch((failure: unknown) => {
      const openAnyway = isOld && OPEN_ANYWAY[fileTrouble(failure)?.reason ?? '']
      if (!openAnyway) throw failure
      // Whatever speaks against that as well, a disk that can be written is what is needed first.
      return openToRead(openAnyway, schema, path, failure).catch(() => {
        throw failure
      })
    }),
  )
}

async function openToWrite(
  path: string,
  { migrations, unchecked_tables }: StoreSchema,
  isOld: boolean,
): Promise<Store> {
  if (isOld) checkUsable(path)
  else if (path !== IN_MEMORY) createPrivateFile(path)
  return withStore(new StoreFile(path, connect(path, 'normal')), path, async (sqlite, store) => {
    if (isOld) checkIntegrity(sqlite, unchecked_tables)
    if (isOld && hasTables(sqlite)) await requireMadeByUs(sqlite, store, migrations)
    const [first] = await pendingMigrations(store, migrations)
    if (first !== undefined && hasTables(sqlite)) keepCopy(sqlite, copyBefore(path, first))
    if (first !== undefined) await migrate(sqlite, store, migrations)
  })
}

/**
 * On a full disk SQLite cannot make the index of the WAL, a file beside the store. A program that has the store to
 * itself needs none: it reads what is stored, and writes again once there is room. On a read-only disk it reads a copy.
 */
const OPEN_ANYWAY: Readonly<Record<string, (path: string) => StoreFile>> = {
  disk_full: (path) => new StoreFile(path, connect(path, 'exclusive')),
  read_only: (path) => new StoreFile(path, openReadableCopy(path), () => withoutWaiting(connect(path, 'normal'))),
}

/** A store whose disk has the trouble of `failure`: read, and in that trouble until something can be written. */
const openToRead = async (
  open: (path: string) => StoreFile,
  { migrations, unchecked_tables }: StoreSchema,
  path: string,
  failure: unknown,
): Promise<Store> =>
  withStore(open(path), path, async (sqlite, store) => {
    checkIntegrity(sqlite, unchecked_tables)
    await requireMadeByUs(sqlite, store, migrations)
    if ((await pendingMigrations(store, migrations)).length > 0) throw failure
    store.state.onFailure(failure)
  })

/** An existing store, not migrated: the daemon alone does that. A store written by a newer build is refused. */
export async function openExistingDatabase(path: string, migrations: readonly NamedMigration[]): Promise<Store> {
  const file = new StoreFile(path, connect(path, 'normal'))
  return withStore(file, path, (sqlite, store) => requireMadeByUs(sqlite, store, migrations))
}

type Locking = 'normal' | 'exclusive'

/**
 * Runs `work` on the opened store, and closes it if that fails. From then on nobody waits for a lock in the thread
 * (busy-retry.ts).
 */
const withStore = async (
  file: StoreFile,
  path: string,
  work: (sqlite: SQLite.Database, store: Store) => Promise<void>,
): Promise<Store> => {
  const state = new StoreState()
  const store = new Store({ dialect: new BusyRetryDialect(file, state) }, state, path)
  try {
    await work(file.sqlite, store)
    withoutWaiting(file.sqlite)
    return store
  } catch (failure) {
    await store.destroy()
    throw failure
  }
}

function withoutWaiting(sqlite: SQLite.Database): SQLite.Database {
  sqlite.pragma('busy_timeout = 0')
  return sqlite
}

/** An unusable file or disk is reported with its path and what to do. */
const explainFailure = async (path: string, opening: () => Promise<Store>): Promise<Store> => {
  try {
    return await opening()
  } catch (failure) {
    throw path !== IN_MEMORY && StoreUnusableError.is(failure)
      ? new StoreUnusableError(path, failure, newestCopyIfAny(path))
      : failure
  }
}

/**
 * WAL lets readers go on beside a writer and costs one sync per commit. FULL syncs at every commit, so that an answered
 * change survives a power cut. NORMAL would save some milliseconds and could lose the last changes while the kernel has
 * their links.
 */
const connect = (path: string, locking: Locking): SQLite.Database => {
  const sqlite = new SQLite(path)
  try {
    sqlite.pragma(`busy_timeout = ${BUSY_WAIT_MS}`)
    sqlite.pragma(`locking_mode = ${locking}`)
    // Ahead of the first pragma that writes into the file.
    requireOurs(sqlite)
    sqlite.pragma('journal_mode = WAL')
    sqlite.pragma('synchronous = FULL')
    sqlite.pragma('foreign_keys = ON')
    // A file that something else has written may not call functions by its schema, nor hold cells that overlap.
    sqlite.pragma('trusted_schema = OFF')
    sqlite.pragma('cell_size_check = ON')
    addFoldCase(sqlite)
    return sqlite
  } catch (failure) {
    sqlite.close()
    throw failure
  }
}

/** SQLite gives the -wal and -shm files the mode of the store itself. */
const createPrivateFile = (path: string): void => closeSync(openSync(path, 'a', 0o600))

/**
 * For a read-only disk SQLite only reports that it cannot open a file, so access is checked first. To SQLite an empty
 * file is a new store, in which anybody could create the account: it counts as new only if there was none before.
 */
const checkUsable = (path: string): void => {
  accessSync(path, constants.R_OK | constants.W_OK)
  if (statSync(path).size === 0 && newestCopyIfAny(path) !== null)
    throw new SQLite.SqliteError('the file is empty, and once was not', 'SQLITE_CORRUPT')
}

/**
 * Written beside and renamed, so that a copy with that name is complete and on the disk before the migration begins.
 */
const keepCopy = (sqlite: SQLite.Database, copy: string): void => {
  const unfinished = `${copy}${UNFINISHED}`
  copyInto(sqlite, unfinished)
  renameSync(unfinished, copy)
  syncPath(dirname(copy))
}

/** Complete and on the disk when it returns. */
export function copyInto(sqlite: SQLite.Database, copy: string): void {
  rmSync(copy, { force: true })
  createPrivateFile(copy)
  sqlite.prepare('VACUUM INTO ?').run(copy)
  syncPath(copy)
}

/** A complete copy, also of a store that a daemon is writing to. */
export function copyStore(path: string, copy: string): void {
  const sqlite = new SQLite(path)
  try {
    keepCopy(sqlite, copy)
  } finally {
    sqlite.close()
  }
}
