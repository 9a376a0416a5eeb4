// A Kysely dialect for SQLite that waits for locks without blocking the process, refuses to write to a replaced file,
// and reports failures.
import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import {
  CompiledQuery,
  SelectQueryNode,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type QueryResult,
} from 'kysely'
import type { StoreState } from './state.ts'

const RETRY_MS = 50

/** SQLite's own busy_timeout would block the only thread, so `sqlite` must not have one. */
export class BusyRetryDialect extends SqliteDialect {
  readonly #sqlite: SQLite.Database
  readonly #state: StoreState

  constructor(sqlite: SQLite.Database, state: StoreState) {
    super({ database: sqlite })
    this.#sqlite = sqlite
    this.#state = state
  }

  override createDriver(): SqliteDriver {
    return new BusyRetryDriver(this.#sqlite, this.#state)
  }
}

class BusyRetryDriver extends SqliteDriver {
  readonly #sqlite: SQLite.Database
  readonly #state: StoreState
  readonly #file: string

  constructor(sqlite: SQLite.Database, state: StoreState) {
    super({ database: sqlite })
    this.#sqlite = sqlite
    this.#state = state
    this.#file = fileIdentity(sqlite)
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new BusyRetryConnection({
      inner: await super.acquireConnection(),
      sqlite: this.#sqlite,
      state: this.#state,
      refuseReplacedFile: () => this.#refuseReplacedFile(),
    })
  }

  /** SQLite keeps writing to a file that was renamed or deleted, and the changes would be lost at the next start. */
  #refuseReplacedFile(): void {
    if (fileIdentity(this.#sqlite) !== this.#file)
      throw new SQLite.SqliteError('the file that is open is no longer that of its name', 'SQLITE_READONLY_DBMOVED')
  }

  /** Takes the write lock at once, so that no later statement of the transaction can fail on it. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /** SQLite rolls back by itself if the disk is full; a second rollback would hide the reason. */
  override async rollbackTransaction(): Promise<void> {
    if (this.#sqlite.inTransaction) this.#sqlite.exec('rollback')
  }
}

const fileIdentity = ({ memory, name }: SQLite.Database): string => {
  const found = memory ? undefined : statSync(name, { throwIfNoEntry: false })
  return found ? `${found.dev} ${found.ino}` : ''
}

interface ConnectionDeps {
  readonly inner: DatabaseConnection
  readonly sqlite: SQLite.Database
  readonly state: StoreState
  readonly refuseReplacedFile: () => void
}

class BusyRetryConnection implements DatabaseConnection {
  readonly #deps: ConnectionDeps

  constructor(deps: ConnectionDeps) {
    this.#deps = deps
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { inner, sqlite, state, refuseReplacedFile } = this.#deps
    for (;;) {
      try {
        if (!sqlite.inTransaction && !SelectQueryNode.is(query.query)) refuseReplacedFile()
        const result = await inner.executeQuery<R>(query)
        if (result.numAffectedRows !== undefined) state.onWrite(!sqlite.inTransaction)
        return result
      } catch (failure) {
        if (!state.shouldRetry(failure)) {
          state.onFailure(failure)
          throw failure
        }
        await sleep(RETRY_MS)
      }
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#deps.inner.streamQuery(query, chunkSize)
  }
}
