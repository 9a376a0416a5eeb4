// Questions that are echo requests, each with one answer: what a search of the path MTU and a trace are made of.
import type { PathEnds } from '../kernel/icmp/port.ts'
import type { KernelError } from '../kernel-error.ts'
import type { ReceivedIcmp } from '../kernel/icmp/port.ts'
import type { Clock } from './clock.ts'
import type { OutgoingEcho, EchoLine, Echoes } from './echoes.ts'
import type { PathDeps } from './deps.ts'
import { roundTripUs, type SentAt } from './rtt.ts'

export type EchoQuery = Omit<OutgoingEcho, 'sequence'>
export type QueryResult =
  | { readonly kind: 'received'; readonly received: ReceivedIcmp; readonly rtt_us: number }
  | { readonly kind: 'silence' }
  | { readonly kind: 'refused'; readonly error: KernelError }

const SILENCE: QueryResult = { kind: 'silence' }

interface Waiting extends SentAt {
  readonly packet_size: number
  readonly settle: (settle: QueryResult) => void
}

export class EchoQueries {
  readonly #clock: Clock
  readonly #echoes: Echoes
  readonly #line: EchoLine
  readonly #waiting = new Map<number, Waiting>()
  readonly #open = new Set<(settle: QueryResult) => void>()
  #isOver = false
  #sequence = 0

  /** After the signal every query ends as unanswered. */
  constructor({ clock, echoes }: PathDeps, ends: PathEnds, signal: AbortSignal) {
    this.#clock = clock
    this.#echoes = echoes
    this.#line = echoes.open(ends, (received) => this.#receive(received))
    signal.addEventListener('abort', () => this.#end(), { once: true })
    if (signal.aborted) this.#end()
  }

  /**
   * Sends one packet at each of the given times, in milliseconds from now, until one of them is answered. Silence:
   * `timeoutMs` after the last.
   */
  query(request: EchoQuery, atMs: readonly number[], timeoutMs: number): Promise<QueryResult> {
    if (this.#isOver) return Promise.resolve(SILENCE)
    return new Promise((resolve) => {
      const sequences: number[] = []
      const settle = (result: QueryResult): void => {
        for (const callOff of timers) callOff()
        for (const sequence of sequences) this.#waiting.delete(sequence)
        this.#open.delete(settle)
        resolve(result)
      }
      this.#open.add(settle)
      const send = (isLast: boolean): void => {
        sequences.push(this.#send(request, settle))
        // From when it really left, however late this host is.
        if (isLast && this.#open.has(settle)) timers.push(this.#clock.after(timeoutMs, () => this.#giveUp(settle)))
      }
      const timers = atMs.map((ms) => this.#clock.after(ms, () => send(ms === Math.max(...atMs))))
    })
  }

  close(): void {
    this.#end()
    this.#line.close()
  }

  /** An answer that is already waiting is read first and wins over the timeout. */
  #giveUp(settle: (settle: QueryResult) => void): void {
    this.#echoes.drain()
    settle(SILENCE)
  }

  #end(): void {
    this.#isOver = true
    for (const settle of this.#open) settle(SILENCE)
  }

  #send(request: EchoQuery, settle: (settle: QueryResult) => void): number {
    const sequence = (this.#sequence = (this.#sequence + 1) & 0xffff)
    const sent = this.#line.send({ sequence, ...request })
    if (sent instanceof Error) settle({ kind: 'refused', error: sent })
    else
      this.#waiting.set(sequence, {
        ...sent,
        sent_ms: this.#clock.now(),
        packet_size: request.packet_size,
        settle: settle,
      })
    return sequence
  }

  #receive(received: ReceivedIcmp): void {
    const waiting = this.#waiting.get(received.sequence)
    if (!waiting) return
    const isForeign = waiting.interface_index !== 0 && received.interface_index !== waiting.interface_index
    // A reply that is shorter than its request does not count.
    if (received.kind === 'reply' && (isForeign || received.packet_size !== waiting.packet_size)) return
    waiting.settle({ kind: 'received', received: received, rtt_us: roundTripUs(waiting, received, this.#clock.now()) })
  }
}
