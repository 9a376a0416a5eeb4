// Who changes the ruleset: the kernel announces each new generation with the process that made it. Listening costs
// others (ruleset-changes.ts), so it ends by itself.
import { readFileSync } from 'node:fs'
import { BY_MAX } from '@panel/shared/events/model.ts'
import { Attributes, DecodeError } from '../../netlink/attributes.ts'
import { openChannel, type Transport } from '../../netlink/channel.ts'
import { NETLINK_ADD_MEMBERSHIP, NETLINK_NETFILTER, SOL_NETLINK } from '../../netlink/constants.ts'
import { decodeMessages } from '../../netlink/message.ts'
import * as k from '../../netlink/nftables/constants.ts'
import { native, type Channel } from '../../native/index.ts'
import { log } from '../../log.ts'

const NFNLGRP_NFTABLES = 7
const LISTEN_MS = 10 * 60_000
/** Generations that are remembered; one who asks does so twice a second. */
const REMEMBERED = 1000
const BURST = 256

interface Writer {
  readonly generation: number
  readonly name: string
}

export class RulesetWriters {
  readonly #transport: Transport
  readonly #nameOf: typeof programName
  #channel: Channel | null = null
  #timer: NodeJS.Timeout | undefined
  #writers: Writer[] = []

  constructor(transport: Transport = native, nameOf = programName) {
    this.#transport = transport
    this.#nameOf = nameOf
  }

  /** For ten minutes from now on. Where the kernel refuses, nobody is named. */
  listen(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.end(), LISTEN_MS)
    this.#timer.unref()
    if (this.#channel) return
    try {
      const channel = openChannel(this.#transport, NETLINK_NETFILTER)
      this.#channel = channel
      this.#transport.option(channel, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, NFNLGRP_NFTABLES)
      this.#watch(channel)
    } catch (error) {
      this.end()
      log('warning', 'Nobody who changes the ruleset can be named', { detail: String(error) })
    }
  }

  end(): void {
    clearTimeout(this.#timer)
    if (this.#channel) this.#transport.close(this.#channel)
    this.#channel = null
    this.#writers = []
  }

  /** The programs that made generations after this one, each once; "" where none is known. */
  since(generation: number): string {
    this.#drain()
    const names = this.#writers.filter((one) => one.generation > generation).map(({ name }) => name)
    return [...new Set(names)]
      .filter((name) => name !== '')
      .join(', ')
      .slice(0, BY_MAX)
  }

  /** libuv stops watching a socket that reported an error, and an overflown buffer is one. */
  #watch(channel: Channel): void {
    this.#transport.watch(channel, (status) => {
      if (this.#channel !== channel) return
      if (status < 0) this.#watch(channel)
      this.#drain()
    })
  }

  #drain(): void {
    for (let left = BURST; left > 0 && this.#channel; left -= 1) {
      const datagram = this.#receive(this.#channel)
      if (!datagram) return
      this.#writers.push(...generationsIn(datagram).map((one) => ({ ...one, name: this.#nameOf(one) })))
      this.#writers = this.#writers.slice(-REMEMBERED)
    }
  }

  /** Announcements that were lost name nobody. */
  #receive(channel: Channel): Buffer | null {
    try {
      const datagram = this.#transport.receive(channel)
      return datagram && (datagram.sender === 0 ? datagram.bytes : Buffer.alloc(0))
    } catch {
      return Buffer.alloc(0)
    }
  }
}

interface Announced {
  readonly generation: number
  readonly pid: number
  readonly name: string
}

const NEW_GENERATION = (k.NFNL_SUBSYS_NFTABLES << 8) | k.NFT_MSG_NEWGEN

export function generationsIn(datagram: Buffer): Announced[] {
  try {
    return decodeMessages(datagram)
      .filter(({ type }) => type === NEW_GENERATION)
      .map(({ body }) => {
        const attributes = new Attributes(body, k.NFGENMSG_BYTES)
        return {
          generation: attributes.u32be(k.NFTA_GEN_ID) ?? 0,
          pid: attributes.u32be(k.NFTA_GEN_PROC_PID) ?? 0,
          name: attributes.text(k.NFTA_GEN_PROC_NAME) ?? '',
        }
      })
  } catch (error) {
    if (error instanceof DecodeError) return []
    throw error
  }
}

/**
 * "nft" alone says little: what started it is named before it, where it can still be read. "" of the helper itself and
 * of what it has started.
 */
export function programName({ pid, name }: Pick<Announced, 'pid' | 'name'>): string {
  if (pid === process.pid) return ''
  const parent = Number(/\) \S (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1] ?? 0)
  if (parent === process.pid) return ''
  const starter = parent > 1 ? read(`/proc/${parent}/comm`) : ''
  return [starter, name]
    .map(printable)
    .filter((one) => one !== '')
    .join(' > ')
}

const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '').trim()

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The process is gone.
    return ''
  }
}
