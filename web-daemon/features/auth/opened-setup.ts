// Setup that root has opened: a file that only root can make, in the folder of the state. An attacker who
// makes the web daemon write, rename or delete something there opens nothing with it.
import { closeSync, fsyncSync, lstatSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncPath } from '../../platform/db/sync-path.ts'

const NAME = 'setup-opened'
const CONTENT = 'Root has opened the setup of this panel, once.\n'

export const openedSetupFile = (state_dir: string): string => join(state_dir, NAME)

/** For root alone: of any other user the file counts for nothing. */
export function openSetupByRoot(state_dir: string): void {
  const path = openedSetupFile(state_dir)
  const unfinished = `${path}.${process.pid}`
  // The folder is another user's, so nothing that is there already is written to.
  const file = openSync(unfinished, 'wx', 0o644)
  try {
    writeSync(file, CONTENT)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, path)
  syncPath(state_dir)
}

export function isSetupOpened(state_dir: string): boolean {
  const path = openedSetupFile(state_dir)
  const found = lstatSync(path, { throwIfNoEntry: false })
  const isRoots = found?.isFile() === true && found.uid === 0 && found.nlink === 1 && (found.mode & 0o022) === 0
  return isRoots && readFileSync(path, 'utf8') === CONTENT
}

/** It was for one account. */
export function closeSetup(state_dir: string): void {
  const path = openedSetupFile(state_dir)
  if (!lstatSync(path, { throwIfNoEntry: false })) return
  rmSync(path, { recursive: true })
  syncPath(dirname(path))
}
