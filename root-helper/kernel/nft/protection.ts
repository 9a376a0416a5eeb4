// Keeps our table owned while that is wanted and the kernel can, and lets go of it while nft, another process, writes.
// A table that cannot be owned may be flushed; then at least the connections are held.
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { Protection } from '@panel/shared/ruleset/protection.ts'
import { KernelError } from '../../kernel-error.ts'
import { log } from '../../log.ts'
import type { StateFolder } from '../files/state-folder.ts'
import { HoldTable } from './hold-table.ts'
import type { OwnedTable } from './owned-table.ts'

const RECORD = 'ruleset-protection'

export class TableProtection {
  readonly #state: StateFolder
  readonly #table: OwnedTable
  readonly #hold = new HoldTable()
  #isWanted: boolean
  /** The reason why the table cannot be owned; null if it can be or if that was never tried. */
  #refusal: string | null = null
  #why: Message = message('root.protection_off')
  /** How many runs of nft need the table to be anybody's: one may look at it while another changes it. */
  #writing = 0

  /** Protection is off until it is requested for the first time. */
  constructor(state: StateFolder, table: OwnedTable) {
    this.#state = state
    this.#table = table
    this.#isWanted = state.read(RECORD) === 'wanted'
  }

  get owner(): OwnedTable['owner'] {
    return this.#table.owner
  }

  now(): Protection {
    const how = this.owner ? 'owned' : this.#hold.isHeld ? 'held' : 'none'
    return { how, detail: this.#why.message.slice(0, 300) }
  }

  /** When the helper starts, before anything else is done to the table. */
  async start(): Promise<void> {
    await this.#table.inherit()
    await this.#hold.inherit()
    if (!this.#isWanted) return this.end()
    if (this.owner) this.#why = message('root.protection_owned')
    else await this.#look()
    if (this.owner && (await this.#table.isUnfinished())) await this.#table.remove()
  }

  /** Returns how many generations of the ruleset that makes. */
  async protect(isWanted: boolean): Promise<number> {
    if (isWanted !== this.#isWanted) await this.#state.write(RECORD, isWanted ? 'wanted' : 'off')
    this.#isWanted = isWanted
    if (isWanted) return this.owner ? 0 : this.#look()
    await this.end()
    this.#why = message('root.protection_off')
    return 0
  }

  /** Ends the protection until it is requested again or the table exists again. */
  async end(): Promise<void> {
    await this.#table.release()
    await this.#hold.release()
  }

  /** Creates an empty table if there is none. Returns false if the table cannot or must not be owned. */
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
    let made = 0
    this.#writing += 1
    try {
      await this.#table.release()
      await write()
    } finally {
      this.#writing -= 1
      if (this.#isWanted) made = await this.#take()
    }
    return made
  }

  async #look(): Promise<number> {
    this.#refusal = await this.#table.refusal()
    return this.#take()
  }

  /** What was written stands, whether this works or not. The last run of nft takes the table again for all. */
  async #take(): Promise<number> {
    if (this.#writing > 0) return 0
    try {
      const taken = await this.#table.take()
      if (taken === 'plain') return await this.#holdInstead()
      this.#why = message(taken === 'taken' ? 'root.protection_owned' : 'root.protection_absent')
      // Of one that others have just taken away, the connections are held until it is back.
      if (taken === 'absent') return 0
      await this.#hold.release()
      return 1
    } catch (error) {
      if (!(error instanceof KernelError)) throw error
      this.#why = message('root.protection_failed', { why: error.message })
      log('warning', 'The relay rules are not protected', { detail: error.message })
      return 0
    }
  }

  async #holdInstead(): Promise<number> {
    const made = await this.#hold.hold()
    this.#why =
      this.#refusal === null
        ? message('root.protection_plain')
        : message('root.protection_kernel', { why: this.#refusal })
    return made
  }
}
