// One copy of the store a day, and that of the day before: what an operator goes back to where the store is lost.
import { existsSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'
import { checkIntegrity, dailyCopies, UNFINISHED } from './check.ts'
import { copyInto } from './open.ts'
import { BUSY_WAIT_MS } from './state.ts'
import { syncPath } from './sync-path.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** A copy from a time to come was made while the clock was ahead. */
export function isCopyDue(path: string, now: Date): boolean {
  const [newest] = dailyCopies(path)
  const made = statSync(newest, { throwIfNoEntry: false })
  return !made || Math.abs(now.getTime() - made.mtimeMs) >= DAY_MS
}

/** A copy must leave as much room again, or the store itself could not be written beside it. */
export function roomForCopy(path: string): { readonly free: number; readonly needed: number } {
  const size = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const { bavail, bsize } = statfsSync(dirname(path))
  return { free: bavail * bsize, needed: 2 * (size(path) + size(`${path}-wal`)) }
}

/** Makes a whole copy or none, and only if no table of the store is damaged: the earlier copies stay otherwise. */
export function makeDailyCopy(path: string): void {
  const [newest, before] = dailyCopies(path)
  const unfinished = `${newest}${UNFINISHED}`
  const sqlite = new SQLite(path, { fileMustExist: true, timeout: BUSY_WAIT_MS })
  try {
    checkIntegrity(sqlite, [])
    copyInto(sqlite, unfinished)
  } catch (failure) {
    rmSync(unfinished, { force: true })
    throw failure
  } finally {
    sqlite.close()
  }
  if (existsSync(newest)) renameSync(newest, before)
  renameSync(unfinished, newest)
  syncPath(dirname(path))
}
