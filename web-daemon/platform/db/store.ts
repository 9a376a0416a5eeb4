// The opened store: the database, and whether it works.
import { Kysely, sql, type KyselyConfig, type TransactionBuilder } from 'kysely'
import type { Message } from '@panel/shared/messages/message.ts'
import type { Author } from './author.ts'
import type { Database, StoreTransaction } from './database.ts'
import { OUTLASTING_WRITES, type StoreState } from './state.ts'
import type { Trouble } from './trouble.ts'

/** Health is public, so the store is tried at most this often. */
const TRIED_EVERY_MS = 1000

/** `author` null: the panel itself. */
export type BeforeCommit = (transaction: StoreTransaction, author: Author | null) => Promise<void>

/** The store of each view. */
const STORES = new WeakMap<object, Store>()

/** The store that a view of one command belongs to; anything else is itself. */
export const storeOf = (db: object): object => STORES.get(db) ?? db

export class Store extends Kysely<Database> {
  readonly state: StoreState
  /** The path of the file. */
  readonly path: string
  /** Why there is no daily copy of today; null if there is, or none was due. */
  copyTrouble: Message | null = null
  /** Runs at the end of every transaction, as a part of it: where it fails, the transaction does. */
  beforeCommit: BeforeCommit = async () => undefined
  #tried_at = 0

  constructor(config: KyselyConfig, state: StoreState, path: string) {
    super(config)
    this.state = state
    this.path = path
  }

  override transaction(): TransactionBuilder<Database> {
    return this.#watched(super.transaction(), null)
  }

  /** The store as the command of an author sees it. */
  by(author: Author): Kysely<Database> {
    const view = this.withoutPlugins()
    view.transaction = () => this.#watched(super.transaction(), author)
    STORES.set(view, this)
    return view
  }

  #watched(builder: TransactionBuilder<Database>, author: Author | null): TransactionBuilder<Database> {
    const execute = builder.execute.bind(builder)
    builder.execute = (work) =>
      execute(async (transaction) => {
        const result = await work(transaction)
        await this.beforeCommit(transaction, author)
        return result
      })
    return builder
  }

  /**
   * What is wrong with the store, or null. After a failure it is tried again with a write that changes nothing, as the
   * disk may have room again.
   */
  async trouble(): Promise<Trouble | null> {
    const { trouble } = this.state
    if (!trouble || OUTLASTING_WRITES.includes(trouble.reason) || performance.now() - this.#tried_at < TRIED_EVERY_MS)
      return trouble
    this.#tried_at = performance.now()
    await sql`pragma user_version = 0`.execute(this).then(
      () => this.state.onWrite(true),
      (failure: unknown) => this.state.onFailure(failure),
    )
    return this.state.trouble
  }
}
