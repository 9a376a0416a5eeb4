// Failures of the store's file and disk, by SQLite's codes, with messages that say what to do.
import { message, type Message, type MessageId } from '@panel/shared/messages/message.ts'

export type Reason = 'disk_full' | 'read_only' | 'locked' | 'moved' | 'damaged' | 'unreachable'

export interface Trouble {
  readonly reason: Reason
  readonly message: string
  readonly sentence: Message
}

const MESSAGES = {
  disk_full: 'panel.store_disk_full',
  read_only: 'panel.store_read_only',
  locked: 'panel.store_locked',
  moved: 'panel.store_moved',
  // SQLite also reports this for a disk that fails to read (vdbe.c turns SQLITE_IOERR_CORRUPTFS into SQLITE_CORRUPT);
  // restoring a copy would be the wrong advice then.
  damaged: 'panel.store_damaged',
  unreachable: 'panel.store_unreachable',
} as const satisfies Record<Reason, MessageId>

/** The first match counts; SQLite's extended codes are longer. */
const CODES: readonly (readonly [RegExp, Reason])[] = [
  [/^SQLITE_READONLY_DBMOVED$/, 'moved'],
  // The WAL index is a file that must grow before it is used.
  [/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/, 'disk_full'],
  [/^(SQLITE_READONLY.*|EROFS)$/, 'read_only'],
  [/^SQLITE_(BUSY|LOCKED)/, 'locked'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'damaged'],
  [/^(SQLITE_(IOERR|CANTOPEN|PERM|AUTH).*|EACCES|EPERM|EIO|ENOTDIR|EISDIR)$/, 'unreachable'],
]

export function errorCode(failure: unknown): string {
  return failure instanceof Error && 'code' in failure ? String(failure.code) : ''
}

const troubleByCode = (code: string): Trouble | null => {
  const reason = CODES.find(([codes]) => codes.test(code))?.[1]
  if (!reason) return null
  const sentence = message(MESSAGES[reason])
  return { reason, message: sentence.message, sentence }
}

/** Of opening the store: be it SQLite's failure or one of the system. */
export const fileTrouble = (failure: unknown): Trouble | null => troubleByCode(errorCode(failure))

/** Null if the failure is not one of the store's file or disk. */
export function storeTrouble(failure: unknown): Trouble | null {
  return failure instanceof Error && failure.name === 'SqliteError' ? fileTrouble(failure) : null
}

/** Why the store cannot be opened, as a message for the operator. */
export class StoreUnusableError extends Error {
  constructor(path: string, failure: unknown, newestCopy: string | null) {
    const code = errorCode(failure)
    const trouble = troubleByCode(code)
    const copy =
      trouble?.reason !== 'damaged'
        ? ''
        : newestCopy === null
          ? '\nThere is no copy of it beside it.'
          : `\nThe newest copy of it, made before a new build changed it: ${newestCopy}`
    super(
      `The store ${path} cannot be opened (${code === '' ? '' : `${code}: `}${failure instanceof Error ? failure.message : String(failure)}).\n${trouble?.message ?? ''}${copy}`,
      { cause: failure },
    )
    this.name = 'StoreUnusableError'
  }

  static is(failure: unknown): boolean {
    return troubleByCode(errorCode(failure)) !== null
  }
}
