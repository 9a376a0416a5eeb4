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

/** A file there that cannot be used. Its content is in no message: it may be anything, and of anybody. */
export class UnusableFile extends Error {
  readonly file: string
  readonly why: Message

  constructor(file: string, why: Message, cause?: unknown) {
    super(`${file}: ${why.message}`, { cause })
    this.name = 'UnusableFile'
    this.file = file
    this.why = why
  }
}

/** What a file there holds, or null if there is none. Throws an UnusableFile if `parse` throws. */
export function readWritten<T>(folder: Pick<StateFolder, 'read'>, name: string, parse: (text: string) => T): T | null {
  const text = textOf(folder, name)
  if (text === null) return null
  if (text === '') throw new UnusableFile(name, message('root.file_empty'))
  try {
    return parse(text)
  } catch (error) {
    throw new UnusableFile(name, message('root.file_unlike'), error)
  }
}

function textOf(folder: Pick<StateFolder, 'read'>, name: string): string | null {
  try {
    return folder.read(name)
  } catch (error) {
    throw new UnusableFile(name, message('root.file_unreadable', { code: errorCode(error) ?? 'EIO' }), error)
  }
}

export type Damage =
  | 'root.window_damaged'
  | 'root.links_damaged'
  | 'root.rules_damaged'
  | 'root.journal_damaged'
  | 'root.answers_damaged'
  | 'root.networks_damaged'

/** What follows from the damage, and what to do about the very file that has it. Throws any other error. */
export function damageOf(id: Damage, error: unknown): string {
  if (!(error instanceof UnusableFile)) throw error
  const { file, why } = error
  return message(id, { file, why, remedy: message('root.set_aside', { name: file }) }).message
}
