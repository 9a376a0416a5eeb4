// A netlink socket (rtnetlink by default): requests with acknowledgements, dumps, and the kernel's refusals as
// KernelErrors.
import { openChannel, type Transport } from './channel.ts'
import * as k from './constants.ts'
import { refusal, transportError } from './errors.ts'
import {
  decodeDone,
  decodeError,
  decodeMessages,
  encodeMessage,
  type Acknowledgement,
  type Message,
} from './message.ts'
import { KernelError } from '../kernel-error.ts'
import { native, type Channel } from '../native/index.ts'

const TIMEOUT_MS = 5_000
const DUMP_ATTEMPTS = 10
// Datagrams taken in one turn of the event loop; the rest waits for the next.
const BURST = 64
/** Datagrams that wait in a socket: its buffer has no room for more. */
const LEFT_MAX = 100_000

/** A request without its header: `what` is for people ("create link gre1"). */
export interface Request {
  what: string
  type: number
  /** NLM_F_CREATE and the like; NLM_F_REQUEST and NLM_F_ACK are added. */
  flags?: number
  parts: readonly Buffer[]
}

interface Outcome {
  replies: Message[]
  isInterrupted: boolean
}

interface Pending extends Outcome {
  what: string
  timer: NodeJS.Timeout
  resolve: (outcome: Outcome) => void
  reject: (error: Error) => void
}

/**
 * Requests may overlap. Dumps wait for one another: the kernel runs one at a time for each socket (af_netlink.c,
 * cb_running).
 */
export class NetlinkSocket {
  private readonly transport: Transport
  private readonly timeoutMs: number
  readonly channel: Channel
  private readonly pending = new Map<number, Pending>()
  private sequence = 0
  private dumps: Promise<unknown> = Promise.resolve()
  private isClosed = false

  constructor({
    transport = native,
    timeoutMs = TIMEOUT_MS,
    protocol = k.NETLINK_ROUTE,
    channel,
  }: { transport?: Transport; timeoutMs?: number; protocol?: number; channel?: Channel } = {}) {
    this.transport = transport
    this.timeoutMs = timeoutMs
    this.channel = channel ?? openChannel(transport, protocol)
    if (channel) this.discard()
    this.watch()
  }

  /** Resolves with what the kernel answers before its acknowledgement; often nothing. */
  async request(request: Request): Promise<Message[]> {
    return (await this.exchange(request.what, [withFlags(request, k.NLM_F_ACK)])).replies
  }

  /**
   * Several messages in one datagram, one of them with NLM_F_ACK. They share a sequence number, and the kernel answers
   * in their order: the first refusal of any, or that acknowledgement, is the outcome.
   */
  async batch(what: string, messages: readonly Request[]): Promise<void> {
    await this.exchange(
      what,
      messages.map((one) => withFlags(one, 0)),
    )
  }

  /** All parts of a dump. A dump that the kernel marks as interrupted by a change is requested again. */
  async dump(request: Request): Promise<Message[]> {
    const turn = this.dumps.then(() => this.wholeDump(request))
    this.dumps = turn.catch(() => undefined) // its own caller has got the failure; the next dump may go
    return turn
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.rejectAll((what) => new KernelError('ECANCELED', `${what}: the netlink socket was closed`))
    this.transport.close(this.channel)
  }

  private async wholeDump(request: Request): Promise<Message[]> {
    for (let attempt = 0; attempt < DUMP_ATTEMPTS; attempt++) {
      const { replies, isInterrupted } = await this.exchange(request.what, [withFlags(request, k.NLM_F_DUMP)])
      if (!isInterrupted) return replies
    }
    throw new KernelError('EINTR', `${request.what}: changed under each of ${DUMP_ATTEMPTS} readings`)
  }

  private exchange(what: string, messages: readonly Request[]): Promise<Outcome> {
    if (this.isClosed) return Promise.reject(new KernelError('ECANCELED', `${what}: the netlink socket is closed`))
    const sequence = this.nextSequence()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.fail(sequence, new KernelError('ETIMEDOUT', `${what}: no answer within ${this.timeoutMs} ms`)),
        this.timeoutMs,
      )
      this.pending.set(sequence, { what, isInterrupted: false, replies: [], timer, resolve, reject })
      try {
        const bytes = messages.map(({ type, flags = 0, parts }) => encodeMessage(type, flags, sequence, parts))
        this.transport.send(this.channel, Buffer.concat(bytes))
      } catch (error) {
        return this.fail(sequence, transportError(what, error))
      }
      // rtnetlink works inside send(), so the answer is often there already and need not wait for the event loop.
      this.drain()
    })
  }

  private nextSequence(): number {
    do this.sequence = (this.sequence + 1) >>> 0
    while (this.sequence === 0 || this.pending.has(this.sequence))
    return this.sequence
  }

  private watch(): void {
    this.transport.watch(this.channel, (status) => {
      this.drain()
      if (status < 0 && !this.isClosed) this.watch()
    })
  }

  /** Answers to an earlier process that had the same socket. */
  private discard(): void {
    for (let left = LEFT_MAX; left > 0; left -= 1)
      try {
        if (!this.transport.receive(this.channel)) return
      } catch (error) {
        // The kernel says once that it has dropped some.
        if ((error as NodeJS.ErrnoException).code !== 'ENOBUFS') throw error
      }
  }

  private drain(): void {
    if (this.isClosed) return
    try {
      let left = BURST
      do {
        const datagram = this.transport.receive(this.channel)
        if (!datagram) return
        if (datagram.sender === 0) for (const message of decodeMessages(datagram.bytes)) this.take(message)
        left -= 1
        // Where nobody waits any more, the look that finds nothing would cost as much as the one that found the answer.
      } while (left > 0 && this.pending.size > 0 && !this.isClosed)
    } catch (error) {
      // Which answer was lost or garbled cannot be known, so no answer that is still awaited may be trusted to come.
      this.rejectAll((what) => transportError(what, error))
    }
  }

  private take(message: Message): void {
    const pending = this.pending.get(message.sequence)
    if (!pending) return
    if (message.flags & k.NLM_F_DUMP_INTR) pending.isInterrupted = true
    if (message.type === k.NLMSG_ERROR) this.finish(message.sequence, pending, decodeError(message))
    else if (message.type === k.NLMSG_DONE) this.finish(message.sequence, pending, decodeDone(message))
    else if (message.type === k.NLMSG_OVERRUN)
      this.fail(message.sequence, new KernelError('ENOBUFS', `${pending.what}: the kernel lost data`))
    else if (message.type !== k.NLMSG_NOOP) pending.replies.push(message)
  }

  private finish(sequence: number, pending: Pending, { errno, text }: Acknowledgement): void {
    if (errno !== 0) return this.fail(sequence, refusal(pending.what, errno, text))
    this.settle(sequence)
    pending.resolve(pending)
  }

  private settle(sequence: number): Pending | undefined {
    const pending = this.pending.get(sequence)
    this.pending.delete(sequence)
    clearTimeout(pending?.timer)
    return pending
  }

  private fail(sequence: number, error: Error): void {
    this.settle(sequence)?.reject(error)
  }

  private rejectAll(reason: (what: string) => Error): void {
    for (const [sequence, { what }] of [...this.pending]) this.fail(sequence, reason(what))
  }
}

const withFlags = (request: Request, flags: number): Request => ({
  ...request,
  flags: k.NLM_F_REQUEST | flags | (request.flags ?? 0),
})
