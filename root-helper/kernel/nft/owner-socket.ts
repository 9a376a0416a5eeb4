// The socket that owns a table of nftables: as long as it is open, nobody else can change the table. The service
// manager keeps it open while no helper runs.
import { unlessAbsent } from '../../kernel-error.ts'
import { log } from '../../log.ts'
import { NETLINK_NETFILTER } from '../../netlink/constants.ts'
import { decodeTable, tableRequest } from '../../netlink/nftables/nftables.ts'
import type { Message } from '../../netlink/message.ts'
import { NetlinkSocket, type Request } from '../../netlink/socket.ts'
import { KeptSocket } from '../kept-socket.ts'

/** The service manager closes its copy within a few milliseconds, but on a host that is busy beyond measure. */
const FREE_WITHIN_MS = 30_000

export class OwnerSocket {
  readonly #table: string
  readonly #kept: KeptSocket
  #socket: NetlinkSocket | null = null

  constructor(table: string) {
    this.#table = table
    this.#kept = new KeptSocket(`owner-${table}`)
  }

  /** Null while nobody owns the table. */
  get socket(): NetlinkSocket | null {
    return this.#socket
  }

  /** Goes on with the socket of an earlier helper, if that one owns the table still. */
  async inherit(): Promise<void> {
    const channel = this.#kept.inherit()
    if (!channel) return
    this.#socket = new NetlinkSocket({ protocol: NETLINK_NETFILTER, channel })
    const found = await tableAs(this.#socket, this.#table)
    if (!found || decodeTable(found).owner !== found.port) await this.release()
  }

  /** Sends what makes the table, or takes it. */
  async own(what: string, messages: readonly Request[]): Promise<void> {
    const socket = openSocket()
    try {
      await socket.batch(what, messages)
    } catch (error) {
      socket.close()
      throw error
    }
    this.#socket = socket
    this.#kept.keep(socket.channel)
  }

  /** Resolves when the table is anybody's, or gone. */
  async release(): Promise<void> {
    const isElsewhere = this.#kept.forget()
    this.#socket?.close()
    this.#socket = null
    if (isElsewhere) await this.#untilFree()
  }

  async #untilFree(): Promise<void> {
    const socket = openSocket()
    try {
      for (const until = performance.now() + FREE_WITHIN_MS; performance.now() < until; await turn()) {
        const found = await tableAs(socket, this.#table)
        if (!found || decodeTable(found).owner === null) return
      }
      log('warning', 'The service manager has not closed a socket of the helper', { detail: `owner of ${this.#table}` })
    } finally {
      socket.close()
    }
  }
}

export const openSocket = (): NetlinkSocket => new NetlinkSocket({ protocol: NETLINK_NETFILTER })

/** Null where there is no such table. */
export async function tableAs(socket: NetlinkSocket, name: string): Promise<Message | null> {
  const [found = null] = (await unlessAbsent(socket.request(tableRequest(name)))) ?? []
  return found
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1))
