// Keeps our table owned while that is wanted and the kernel can, and lets go of it while nft, another process, writes.
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { Protection } from '@panel/shared/ruleset/protection.ts'
import { KernelError } from '../../kernel-error.ts'
import { log } from '../../log.ts'
import type { StateFolder } from '../files/state-folder.ts'
import type { OwnedTable } from './owned-table.ts'

const RECORD = 'ruleset-protection'

export class TableProtection {
  readonly #state: StateFolder
  readonly #table: OwnedTable
  #isWanted: boolean
  /** Null where it can be, or was not asked. */
  #refusal: string | null = null
  #why: Message = message('root.protection_off')

  /** Until it is asked for the first time it is not wanted. */
  constructor(state: StateFolder, table: OwnedTable) {
    this.#state = state
    this.#table = table
    this.#isWanted = state.read(RECORD) === 'wanted'
  }

  get owner(): OwnedTable['owner'] {
    return this.#table.owner
  }

  now(): Protection {
    return { how: this.owner ? 'owned' : 'none', detail: this.#why.message.slice(0, 300) }
  }

  /** When the helper starts, before anything else is done to the table. */
  async start(): Promise<void> {
    if (!this.#isWanted) return
    await this.#look()
    if (this.owner && (await this.#table.isUnfinished())) await this.#table.remove()
  }

  async protect(isWanted: boolean): Promise<Protection> {
    if (isWanted !== this.#isWanted) await this.#state.write(RECORD, isWanted ? 'wanted' : 'off')
    this.#isWanted = isWanted
    if (!isWanted) {
      this.#table.release()
      this.#why = message('root.protection_off')
    } else if (!this.owner) await this.#look()
    return this.now()
  }

  /** Where it is not there: makes an empty one, to be filled. False where it shall not be owned, or cannot. */
  async make(): Promise<boolean> {
    if (!this.#isWanted || this.#refusal !== null) return false
    await this.#table.make()
    return true
  }

  /** Takes away what was made, since it could not be filled. */
  async unmake(): Promise<void> {
    if (!this.owner) await this.#take()
    await this.#table.remove()
    await this.#look()
  }

  /** Returns how many generations of the ruleset come from taking the table again. */
  async letGo(write: () => Promise<void>): Promise<number> {
    this.#table.release()
    try {
      await write()
    } finally {
      if (this.#isWanted && this.#refusal === null) await this.#take()
    }
    return this.owner ? 1 : 0
  }

  async #look(): Promise<void> {
    this.#refusal = await this.#table.refusal()
    if (this.#refusal === null) await this.#take()
    else this.#why = message('root.protection_kernel', { why: this.#refusal })
  }

  /** What was written stands, whether this works or not. */
  async #take(): Promise<void> {
    try {
      this.#why = WHY[await this.#table.take()]
    } catch (error) {
      if (!(error instanceof KernelError)) throw error
      this.#why = message('root.protection_failed', { why: error.message })
      log('warning', 'The relay rules are not protected', { detail: error.message })
    }
  }
}

const WHY = {
  taken: message('root.protection_owned'),
  absent: message('root.protection_absent'),
  plain: message('root.protection_plain'),
} as const
