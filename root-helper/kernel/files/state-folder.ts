// The folder of the helper's own files. Where it cannot be written root begins no change, and says why.
import { message, type Message } from '@panel/shared/messages/message.ts'
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
        return reasonOf(error).message
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

type Reason = 'root.disk_full' | 'root.quota_used' | 'root.disk_read_only' | 'root.no_right' | 'root.folder_gone'
const REASONS: Readonly<Record<string, Reason>> = {
  ENOSPC: 'root.disk_full',
  EDQUOT: 'root.quota_used',
  EROFS: 'root.disk_read_only',
  EACCES: 'root.no_right',
  EPERM: 'root.no_right',
  ENOENT: 'root.folder_gone',
}

function reasonOf(error: unknown): Message {
  const code = errorCode(error) ?? (error instanceof Error ? error.message : String(error))
  return message('root.state_unwritable', { code, why: message(REASONS[code] ?? 'root.disk_fails') })
}

/** What a file there holds, or null where there is none. Throws, and says why, where `read` cannot make it out. */
export function readWritten<T>(text: string | null, read: (text: string) => T): T | null {
  if (text === null) return null
  if (text === '') throw new Error(message('root.file_empty').message)
  return read(text)
}

/** Of a file that is none of those that the helper writes. */
export const unlikeOurs = (): Error => new Error(message('root.file_unlike').message)

/** What to do about a file there that cannot be used. */
export const setAside = (name: string): Message => message('root.set_aside', { name })
