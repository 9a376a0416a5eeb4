// Files written whole or not at all: temporary file, fsync, rename, fsync of the folder.
import { constants } from 'node:fs'
import { open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** Null where there is no such file. Links are not followed: root reads and writes only what it made itself. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, { encoding: 'utf8', flag: constants.O_RDONLY | constants.O_NOFOLLOW })
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

export async function writeWhole(path: string, content: string, mode: number): Promise<void> {
  const temporary = `${path}.new-${process.pid}`
  try {
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

/** Removing what is not there is done already. */
export async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
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
