// Files written whole or not at all: temporary file, fsync, rename, fsync of the folder.
import {
  closeSync,
  constants,
  fsync as fsyncThen,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const fsync = promisify(fsyncThen)

export const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/**
 * Null where there is nothing, and "" where there is something other than a plain file, above all a symbolic link
 * (`systemctl mask` makes one): root reads only what it may have made itself. The small files of a thousand tunnels are
 * read several times quicker on the spot than through the thread pool, and lstat reports a missing one without the cost
 * of an error.
 */
export function readIfThere(path: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return null
  return stat.isFile() ? readFileSync(path, 'utf8') : ''
}

/** Only what waits for the disk leaves the thread: the rest is done sooner than another thread has taken it. */
export async function writeWhole(path: string, content: string, mode: number): Promise<void> {
  const temporary = `${path}.new-${process.pid}`
  try {
    // A process that was killed here may have left its temporary file, and process ids are reused.
    await removeIfThere(temporary)
    await syncing(openSync(temporary, 'wx', mode), (file) => writeFileSync(file, content))
    renameSync(temporary, path)
  } catch (error) {
    await removeIfThere(temporary)
    throw error
  }
  await syncFolder(dirname(path))
}

/** Until what was written to the open file is on the disk; it is closed then. */
async function syncing(file: number, write: (file: number) => void): Promise<void> {
  try {
    write(file)
    await fsync(file)
  } finally {
    closeSync(file)
  }
}

/** To a file that is there. */
export async function appendTo(path: string, content: string): Promise<void> {
  const file = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW)
  await syncing(file, () => writeFileSync(file, content))
}

/**
 * Temporary files of an earlier helper that was killed, or that lost power. Nothing reads them, and nothing else would
 * remove them.
 */
export async function removeUnfinished(folder: string, isOurs: (name: string) => boolean): Promise<void> {
  for (const entry of await readdir(folder)) {
    const [, name] = /^(.+)\.new-\d+$/.exec(entry) ?? []
    if (name !== undefined && isOurs(name)) await removeIfThere(join(folder, entry))
  }
}

/** A missing file counts as removed. */
export async function removeIfThere(path: string): Promise<void> {
  try {
    unlinkSync(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

export async function syncFolder(path: string): Promise<void> {
  await syncing(openSync(path, 'r'), () => undefined)
}
