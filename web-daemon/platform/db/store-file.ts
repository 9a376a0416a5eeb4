// The file of the store as it is open now. Where its disk is read-only, a copy is open in its place until the disk can
// be written.
import { accessSync, constants, statSync } from 'node:fs'
import SQLite from 'better-sqlite3'

/** More than the queries of the panel; texts that hold a count of values could be any number. */
const STATEMENTS_MAX = 1000

export class StoreFile {
  readonly #path: string
  readonly #identity: string
  #sqlite: SQLite.Database
  /** Compiled statements by their text. */
  readonly #statements = new Map<string, SQLite.Statement>()
  /** Opens the file itself; null where it is open. */
  #openItself: (() => SQLite.Database) | null

  constructor(path: string, sqlite: SQLite.Database, openItself: (() => SQLite.Database) | null = null) {
    this.#path = path
    this.#identity = identityOf(path)
    this.#sqlite = sqlite
    this.#openItself = openItself
  }

  get sqlite(): SQLite.Database {
    return this.#sqlite
  }

  /** Compiling one costs more than running most of them. What is returned must not be iterated over. */
  prepare(sql: string): SQLite.Statement {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#sqlite.prepare(sql)
    if (this.#statements.size === STATEMENTS_MAX) this.#statements.clear()
    this.#statements.set(sql, statement)
    return statement
  }

  close(): void {
    this.#sqlite.close()
  }

  /**
   * To be called outside of transactions only. SQLite keeps writing to a file that was renamed or deleted, and the
   * changes would be lost at the next start.
   */
  beforeWriting(): void {
    if (identityOf(this.#path) !== this.#identity)
      throw new SQLite.SqliteError('the file that is open is no longer that of its name', 'SQLITE_READONLY_DBMOVED')
    if (!this.#openItself || !canBeWritten(this.#path)) return
    const itself = this.#openItself()
    this.#sqlite.close()
    this.#sqlite = itself
    this.#statements.clear()
    this.#openItself = null
  }
}

function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.dev} ${found.ino}` : ''
}

function canBeWritten(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    // The copy refuses the write, with the reason.
    return false
  }
}
