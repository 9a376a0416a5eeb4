// Failures of the store's file and disk, by SQLite's codes, with messages that say what to do.

export type Reason = 'disk_full' | 'read_only' | 'locked' | 'moved' | 'damaged' | 'unreachable'

export interface Trouble {
  readonly reason: Reason
  readonly message: string
}

const MESSAGES: Readonly<Record<Reason, string>> = {
  disk_full: "The disk that holds the panel's store is full, so nothing can be stored. Make room on it and try again.",
  read_only:
    "The panel's store cannot be written, because its disk is read-only. Make that writable and try again; where the kernel made it so after an error, restart the panel too.",
  locked:
    "Another program holds the panel's store locked. End that one (a second panel, or a shell of sqlite3 in a transaction) and try again.",
  moved: "The file of the panel's store was moved or replaced while the panel runs. Put it back, or restart the panel.",
  // SQLite also reports this for a disk that fails to read (vdbe.c turns SQLITE_IOERR_CORRUPTFS into SQLITE_CORRUPT);
  // restoring a copy would be the wrong advice then.
  damaged:
    "The file of the panel's store is damaged, or its disk fails. Look at the kernel's log first, and mend the disk where that tells of errors. Where it does not: stop the panel, put the newest copy in the file's place and start it again; the panel's log names both.",
  unreachable:
    "The file of the panel's store cannot be read or written. Look at its rights, and at what the kernel's log says of its disk: after an error of that one the kernel makes it read-only.",
}

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
  return reason ? { reason, message: MESSAGES[reason] } : null
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
