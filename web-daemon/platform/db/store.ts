// The opened store: the database, and whether it works.
import { Kysely, sql, type KyselyConfig } from 'kysely'
import type { Message } from '@panel/shared/messages/message.ts'
import type { Database } from './database.ts'
import { OUTLASTING_WRITES, type StoreState } from './state.ts'
import type { Trouble } from './trouble.ts'

/** Health is public, so the store is tried at most this often. */
const TRIED_EVERY_MS = 1000

export class Store extends Kysely<Database> {
  readonly state: StoreState
  /** The path of the file. */
  readonly path: string
  /** Why there is no daily copy of today; null if there is, or none was due. */
  copyTrouble: Message | null = null
  #tried_at = 0

  constructor(config: KyselyConfig, state: StoreState, path: string) {
    super(config)
    this.state = state
    this.path = path
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
