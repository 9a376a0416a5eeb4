// Our table as one that a socket of ours owns: the kernel refuses every change of it by others, and their `flush
// ruleset` skips it. It outlives its owner, and is anybody's until it is taken again.
import { TABLE_NAME } from '@panel/shared/ruleset/nft/table.ts'
import { KernelError, unlessAbsent } from '../../kernel-error.ts'
import { batch, deleteTable, ownTable } from '../../netlink/nftables/batch.ts'
import { NFT_TABLE_F_PERSIST } from '../../netlink/nftables/constants.ts'
import { chainItselfRequest, countersRequest, decodeTable } from '../../netlink/nftables/nftables.ts'
import type { NetlinkSocket } from '../../netlink/socket.ts'
import { openSocket, OwnerSocket, tableAs } from './owner-socket.ts'

/** How often a table is read that another program changes at the same moment. */
const TRIES = 10
/** A name that nobody has, to find out what the kernel says of the flags. */
const NOBODY = 'panel_nobody'

export type Taken = 'taken' | 'absent' | 'plain'

export class OwnedTable {
  readonly #generation: () => Promise<number>
  readonly #owner = new OwnerSocket(TABLE_NAME)

  constructor(generation: () => Promise<number>) {
    this.#generation = generation
  }

  /** Null while nobody owns it. Only what is sent by this socket can change the table. */
  get owner(): NetlinkSocket | null {
    return this.#owner.socket
  }

  inherit(): Promise<void> {
    return this.#owner.inherit()
  }

  /** Null where this kernel has such tables; otherwise what it says. Changes nothing. */
  async refusal(): Promise<string | null> {
    const socket = openSocket()
    try {
      await socket.batch('try to own a table', batch([ownTable(NOBODY)], { isRehearsal: true }))
      return null
    } catch (error) {
      if (error instanceof KernelError) return error.message
      throw error
    } finally {
      socket.close()
    }
  }

  /** Makes it, empty. */
  async make(): Promise<void> {
    await this.#own(await this.#generation())
  }

  /** One that was made without the flag cannot be owned by anybody. One generation, where it is taken. */
  async take(): Promise<Taken> {
    for (let left = TRIES; ; left -= 1)
      try {
        // The kernel would make one that is not there, so nothing may happen between looking and taking.
        const generation = await this.#generation()
        const flags = await this.#flags()
        if (flags === null) return 'absent'
        if ((flags & NFT_TABLE_F_PERSIST) === 0) return 'plain'
        await this.#own(generation)
        return 'taken'
      } catch (error) {
        if (left === 0 || !(error instanceof KernelError && error.code === 'ERESTART')) throw error
      }
  }

  release(): Promise<void> {
    return this.#owner.release()
  }

  /** Takes it away again, as long as it is owned. */
  async remove(): Promise<void> {
    await this.owner?.batch('delete the table', batch([deleteTable(TABLE_NAME)]))
    await this.release()
  }

  /** What a helper leaves behind that is killed between making it and filling it. */
  async isUnfinished(): Promise<boolean> {
    const socket = openSocket()
    try {
      const counters = await socket.dump(countersRequest(TABLE_NAME))
      return (
        counters.length === 0 &&
        (await unlessAbsent(socket.request(chainItselfRequest(TABLE_NAME, 'prerouting')))) === null
      )
    } finally {
      socket.close()
    }
  }

  #own(generation: number): Promise<void> {
    return this.#owner.own('own the table', batch([ownTable(TABLE_NAME)], { generation }))
  }

  async #flags(): Promise<number | null> {
    const socket = openSocket()
    try {
      const found = await tableAs(socket, TABLE_NAME)
      return found && decodeTable(found).flags
    } finally {
      socket.close()
    }
  }
}
