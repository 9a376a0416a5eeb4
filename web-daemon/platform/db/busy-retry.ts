// SQLite through Kysely, with what its driver lacks: patience with a lock that does not hold up the process, an eye on its file, and a memory of what went wrong.
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

/** SQLite's own waiting (busy_timeout) sleeps in the thread that answers everybody, so `sqlite` is to have none. */
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
      refuseMoved: () => this.#refuseMoved(),
    })
  }

  /** SQLite goes on writing to a file that has another name by now, or none: whoever starts the panel again finds the changes gone. */
  #refuseMoved(): void {
    if (fileIdentity(this.#sqlite) !== this.#file)
      throw new SQLite.SqliteError('the file that is open is no longer that of its name', 'SQLITE_READONLY_DBMOVED')
  }

  /** Takes the lock at once, so that no statement of the transaction can meet another's. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /** SQLite has rolled back by itself where the disk was full; a second time would hide why. */
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
  readonly refuseMoved: () => void
}

class BusyRetryConnection implements DatabaseConnection {
  readonly #deps: ConnectionDeps

  constructor(deps: ConnectionDeps) {
    this.#deps = deps
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { inner, sqlite, state, refuseMoved } = this.#deps
    for (;;) {
      try {
        if (!sqlite.inTransaction && !SelectQueryNode.is(query.query)) refuseMoved()
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
