// A Kysely dialect for SQLite that waits for locks without blocking the process, refuses to write to a replaced file,
// and reports failures.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CompiledQuery,
  SelectQueryNode,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type QueryResult,
} from 'kysely'
import type { StoreState } from './state.ts'
import type { StoreFile } from './store-file.ts'

const RETRY_MS = 50

/** SQLite's own busy_timeout would block the only thread, so `sqlite` must not have one. */
export class BusyRetryDialect extends SqliteDialect {
  readonly #file: StoreFile
  readonly #state: StoreState

  constructor(file: StoreFile, state: StoreState) {
    super({ database: file })
    this.#file = file
    this.#state = state
  }

  override createDriver(): SqliteDriver {
    return new BusyRetryDriver(this.#file, this.#state)
  }
}

class BusyRetryDriver extends SqliteDriver {
  readonly #file: StoreFile
  readonly #state: StoreState

  constructor(file: StoreFile, state: StoreState) {
    super({ database: file })
    this.#file = file
    this.#state = state
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new BusyRetryConnection({ inner: await super.acquireConnection(), file: this.#file, state: this.#state })
  }

  /** Takes the write lock at once, so that no later statement of the transaction can fail on it. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /** SQLite rolls back by itself if the disk is full; a second rollback would hide the reason. */
  override async rollbackTransaction(): Promise<void> {
    if (this.#file.sqlite.inTransaction) this.#file.sqlite.exec('rollback')
  }
}

interface ConnectionDeps {
  readonly inner: DatabaseConnection
  readonly file: StoreFile
  readonly state: StoreState
}

class BusyRetryConnection implements DatabaseConnection {
  readonly #deps: ConnectionDeps
  /** Whether a row was changed since the last commit. */
  #hasChanged = false

  constructor(deps: ConnectionDeps) {
    this.#deps = deps
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { inner, file, state } = this.#deps
    for (;;) {
      try {
        if (!file.sqlite.inTransaction && !SelectQueryNode.is(query.query)) file.beforeWriting()
        const result = await inner.executeQuery<R>(query)
        if (result.numAffectedRows !== undefined) this.#onWrite(result.numAffectedRows > 0n)
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

  #onWrite(hasChanged: boolean): void {
    const { file, state } = this.#deps
    this.#hasChanged ||= hasChanged
    if (file.sqlite.inTransaction) return state.onLock()
    state.onWrite(this.#hasChanged)
    this.#hasChanged = false
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#deps.inner.streamQuery(query, chunkSize)
  }
}
