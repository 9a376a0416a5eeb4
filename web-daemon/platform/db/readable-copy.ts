// A copy of a store that SQLite cannot open where it is, because it wants to make files beside it even to read.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { addFoldCase } from './search.ts'

/** The second is in memory, for a host whose only disk is the read-only one. */
const places = (): string[] => [tmpdir(), '/dev/shm']

/**
 * Opens a copy that includes what the store's WAL holds, and cannot be changed. Its files are deleted at once, so that
 * their content cannot be found: it lives as long as it is open. Throws if there is room for it nowhere.
 */
export function openReadableCopy(path: string): SQLite.Database {
  const failures: unknown[] = []
  for (const place of places()) {
    try {
      return openCopyIn(mkdtempSync(join(place, 'panel-store-')), path)
    } catch (failure) {
      failures.push(failure)
    }
  }
  throw new AggregateError(failures, `No copy of ${path} can be made`)
}

function openCopyIn(folder: string, path: string): SQLite.Database {
  try {
    const copy = join(folder, 'panel.db')
    for (const part of ['', '-wal'].filter((one) => existsSync(`${path}${one}`)))
      copyFileSync(`${path}${part}`, `${copy}${part}`)
    return openWithoutWal(copy)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function openWithoutWal(copy: string): SQLite.Database {
  const sqlite = new SQLite(copy)
  try {
    sqlite.pragma('locking_mode = exclusive')
    // Takes the WAL into the file, and needs no other file from then on.
    sqlite.pragma('journal_mode = delete')
    sqlite.pragma('query_only = on')
    addFoldCase(sqlite)
    return sqlite
  } catch (failure) {
    sqlite.close()
    throw failure
  }
}
