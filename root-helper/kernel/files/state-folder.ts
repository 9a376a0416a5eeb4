// The folder of the helper's own files. Where it cannot be written root begins no change, and says why.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RefusedError } from '../../refused.ts'
import { appendTo, errorCode, readIfThere, removeIfThere, syncFolder, writeWhole } from './files.ts'

export interface StateFolder {
  /** Null where there is no such file. */
  read(name: string): string | null
  write(name: string, content: string): Promise<void>
  /** Behind what is there, and on the disk before it returns; where it throws, a part may be there. */
  append(name: string, content: string): Promise<void>
  /** On the disk before it returns. */
  remove(name: string): Promise<void>
  /** Why nothing can be written, found out by writing; null where it can. */
  trouble(): Promise<string | null>
}

export function stateFolder(folder: string): StateFolder {
  const path = (name: string): string => join(folder, name)
  return {
    read: (name) => readIfThere(path(name)),
    write: (name, content) => writing(() => writeWhole(path(name), content, 0o600)),
    append: (name, content) => writing(() => appendTo(path(name), content)),
    remove: (name) =>
      writing(async () => {
        await removeIfThere(path(name))
        await syncFolder(folder)
      }),
    async trouble() {
      const attempt = path(`attempt.new-${process.pid}`)
      try {
        await writeFile(attempt, 'Whether the helper can write here.\n', { mode: 0o600 })
        await rm(attempt)
        return null
      } catch (error) {
        await rm(attempt, { force: true }).catch(() => undefined) // what is left there is removed at the next start
        return reasonOf(error)
      }
    },
  }
}

async function writing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new RefusedError('state_unusable', reasonOf(error))
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full. Make room on it and try again',
  EDQUOT: 'its disk quota is used up. Raise it or make room, and try again',
  EROFS:
    "its disk is read-only. Make it writable; where the kernel made it so after an error, see the kernel's log first",
  EACCES: 'it has no right to. Look at the owner and the mode of the folder',
  EPERM: 'it has no right to. Look at the owner and the mode of the folder',
  ENOENT: 'the folder is gone. Restart the helper, which makes it',
}

function reasonOf(error: unknown): string {
  const code = errorCode(error) ?? (error instanceof Error ? error.message : String(error))
  const remedy = REMEDIES[code] ?? "its disk does not take it. Look at the kernel's log"
  return `The root helper cannot write in its state folder (${code}), so it changes nothing: ${remedy}`
}

/** What to do about a file there that cannot be used. */
export const setAside = (name: string): string =>
  `set it aside with "sudo tunnel-panel set-aside ${name}", which also restarts the helper`
