// Failures of the store's file and disk, by SQLite's codes, with messages that say what to do.
import { message, type Message, type MessageId } from '@panel/shared/messages/message.ts'

export type Reason =
  | 'disk_full'
  | 'read_only'
  | 'locked'
  | 'moved'
  | 'damaged'
  | 'foreign'
  | 'altered'
  | 'unreachable'
  | 'unrecorded'

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
  foreign: 'panel.store_foreign',
  altered: 'panel.store_altered',
  unreachable: 'panel.store_unreachable',
  unrecorded: 'panel.store_unrecorded',
} as const satisfies Record<Reason, MessageId>

/** A database of another program; SQLite itself has no code for that. */
export const NOT_OURS = 'PANEL_NOT_OURS'

/** A store with more in its schema, or with less, than the panel makes. */
export const ALTERED = 'PANEL_ALTERED'

/** The first match counts; SQLite's extended codes are longer. */
const CODES: readonly (readonly [RegExp, Reason])[] = [
  [/^SQLITE_READONLY_DBMOVED$/, 'moved'],
  // The WAL index is a file that must grow before it is used.
  [/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/, 'disk_full'],
  [/^(SQLITE_READONLY.*|EROFS)$/, 'read_only'],
  [/^SQLITE_(BUSY|LOCKED)/, 'locked'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'damaged'],
  [new RegExp(`^${NOT_OURS}$`), 'foreign'],
  [new RegExp(`^${ALTERED}$`), 'altered'],
  [/^(SQLITE_(IOERR|CANTOPEN|PERM|AUTH).*|EACCES|EPERM|EIO|ENOTDIR|EISDIR)$/, 'unreachable'],
]

export function errorCode(failure: unknown): string {
  return failure instanceof Error && 'code' in failure ? String(failure.code) : ''
}

const troubleByCode = (code: string): Trouble | null => {
  const reason = CODES.find(([codes]) => codes.test(code))?.[1]
  return reason ? troubleOf(reason) : null
}

export function troubleOf(reason: Reason): Trouble {
  const sentence = message(MESSAGES[reason])
  return { reason, message: sentence.message, sentence }
}

/** The trouble for a failure to open the store, SQLite's or the system's. */
export const fileTrouble = (failure: unknown): Trouble | null => troubleByCode(errorCode(failure))

/** Null if the failure is not one of the store's file or disk. */
export function storeTrouble(failure: unknown): Trouble | null {
  return failure instanceof Error && failure.name === 'SqliteError' ? fileTrouble(failure) : null
}

/**
 * Why the store cannot be opened, as a message for the operator. SQLite's own words are left out: some quote what the
 * file holds.
 */
export class StoreUnusableError extends Error {
  readonly trouble: Trouble
  readonly newest_copy: string | null

  constructor(path: string, failure: unknown, newest_copy: string | null) {
    const code = errorCode(failure)
    const trouble = troubleByCode(code) ?? troubleOf('unreachable')
    const isToBeReplaced = ['damaged', 'foreign', 'altered'].includes(trouble.reason)
    const copy = newest_copy === null ? 'There is no copy of it beside it.' : `The newest copy of it: ${newest_copy}`
    super(`The store ${path} cannot be opened (${code}).\n${trouble.message}${isToBeReplaced ? `\n${copy}` : ''}`, {
      cause: failure,
    })
    this.name = 'StoreUnusableError'
    this.trouble = trouble
    this.newest_copy = newest_copy
  }

  static is(failure: unknown): boolean {
    return troubleByCode(errorCode(failure)) !== null
  }
}
