// Files written whole or not at all: temporary file, fsync, rename, fsync of the folder.
import { constants, lstatSync, readFileSync } from 'node:fs'
import { open, readdir, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/**
 * Null where there is nothing, and "" where there is something other than a plain file, above all a symbolic link (`systemctl mask` makes one):
 * root reads only what it may have made itself. The small files of a thousand tunnels are read several times quicker on the spot than
 * through the thread pool, and lstat reports a missing one without the cost of an error.
 */
export function readIfThere(path: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return null
  return stat.isFile() ? readFileSync(path, 'utf8') : ''
}

export async function writeWhole(path: string, content: string, mode: number): Promise<void> {
  const temporary = `${path}.new-${process.pid}`
  try {
    // A process that was killed here may have left its temporary file, and process ids are reused.
    await removeIfThere(temporary)
    const file = await open(temporary, 'wx', mode)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await removeIfThere(temporary)
    throw error
  }
  await syncFolder(dirname(path))
}

/** To a file that is there. */
export async function appendTo(path: string, content: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
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
    await unlink(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
