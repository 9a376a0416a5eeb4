// Questions that are echo requests, each with one answer: what a search of the path MTU and a trace are made of.
import type { PathEnds } from '../kernel/icmp/port.ts'
import type { KernelError } from '../kernel-error.ts'
import type { Heard } from '../kernel/icmp/port.ts'
import type { Clock } from './clock.ts'
import type { Asked, EchoLine, Echoes } from './echoes.ts'
import type { Means } from './means.ts'
import { rttOf, type SentAt } from './rtt.ts'

export type Question = Omit<Asked, 'sequence'>
export type Answer =
  | { readonly kind: 'heard'; readonly heard: Heard; readonly rtt_us: number }
  | { readonly kind: 'silence' }
  | { readonly kind: 'refused'; readonly error: KernelError }

const SILENCE: Answer = { kind: 'silence' }

interface Waiting extends SentAt {
  readonly packet_size: number
  readonly answer: (answer: Answer) => void
}

export class Asker {
  readonly #clock: Clock
  readonly #echoes: Echoes
  readonly #line: EchoLine
  readonly #waiting = new Map<number, Waiting>()
  readonly #open = new Set<(answer: Answer) => void>()
  #isOver = false
  #sequence = 0

  /** With the signal everything that is asked is answered with silence. */
  constructor({ clock, echoes }: Means, ends: PathEnds, signal: AbortSignal) {
    this.#clock = clock
    this.#echoes = echoes
    this.#line = echoes.open(ends, (heard) => this.#hear(heard))
    signal.addEventListener('abort', () => this.#end(), { once: true })
    if (signal.aborted) this.#end()
  }

  /** Sends one packet at each of the given times, in milliseconds from now, until one of them is answered. Silence: `timeoutMs` after the last. */
  ask(question: Question, atMs: readonly number[], timeoutMs: number): Promise<Answer> {
    if (this.#isOver) return Promise.resolve(SILENCE)
    return new Promise((resolve) => {
      const sequences: number[] = []
      const answer = (given: Answer): void => {
        for (const callOff of timers) callOff()
        for (const sequence of sequences) this.#waiting.delete(sequence)
        this.#open.delete(answer)
        resolve(given)
      }
      this.#open.add(answer)
      const send = (isLast: boolean): void => {
        sequences.push(this.#send(question, answer))
        // From when it really left, however late this host is.
        if (isLast && this.#open.has(answer)) timers.push(this.#clock.after(timeoutMs, () => this.#giveUp(answer)))
      }
      const timers = atMs.map((ms) => this.#clock.after(ms, () => send(ms === Math.max(...atMs))))
    })
  }

  close(): void {
    this.#end()
    this.#line.close()
  }

  /** An answer that only waits to be read is heard first, and this one comes too late. */
  #giveUp(answer: (answer: Answer) => void): void {
    this.#echoes.drain()
    answer(SILENCE)
  }

  #end(): void {
    this.#isOver = true
    for (const answer of this.#open) answer(SILENCE)
  }

  #send(question: Question, answer: (answer: Answer) => void): number {
    const sequence = (this.#sequence = (this.#sequence + 1) & 0xffff)
    const sent = this.#line.send({ sequence, ...question })
    if (sent instanceof Error) answer({ kind: 'refused', error: sent })
    else this.#waiting.set(sequence, { ...sent, sent_ms: this.#clock.now(), packet_size: question.packet_size, answer })
    return sequence
  }

  #hear(heard: Heard): void {
    const waiting = this.#waiting.get(heard.sequence)
    if (!waiting) return
    const isForeign = waiting.interface_index !== 0 && heard.interface_index !== waiting.interface_index
    // What comes back shorter than it went has not come back.
    if (heard.kind === 'reply' && (isForeign || heard.packet_size !== waiting.packet_size)) return
    waiting.answer({ kind: 'heard', heard, rtt_us: rttOf(waiting, heard, this.#clock.now()) })
  }
}
