// Echo requests of which each is a question with one answer: what a search of the path MTU and a trace are made of.
import type { KernelError, PathEnds } from '../kernel/facilities.ts'
import type { Heard } from '../icmp/heard.ts'
import { pause, type Clock } from './clock.ts'
import type { EchoLine } from './echoes.ts'
import type { Means } from './means.ts'
import { rttOf, type SentAt } from './rtt.ts'

export interface Question {
  readonly packet_size: number
  /** 0 is the kernel's own. */
  readonly hop_limit: number
  readonly is_dont_fragment: boolean
}

export type Answer = { readonly kind: 'heard'; readonly heard: Heard; readonly rtt_us: number } | { readonly kind: 'silence' } | { readonly kind: 'refused'; readonly error: KernelError }

const SILENCE: Answer = { kind: 'silence' }

interface Waiting extends SentAt {
  readonly packet_size: number
  readonly answer: (answer: Answer) => void
}

export class Asker {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  readonly #line: EchoLine
  readonly #waiting = new Map<number, Waiting>()
  #sequence = 0

  /** With the signal everything that is asked is answered with silence. */
  constructor({ clock, echoes }: Means, ends: PathEnds, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
    this.#line = echoes.open(ends, (heard) => this.#hear(heard))
  }

  async ask(question: Question, timeoutMs: number): Promise<Answer> {
    if (this.#signal.aborted) return SILENCE
    const sequence = (this.#sequence = (this.#sequence + 1) & 0xffff)
    const sent = this.#line.send({ sequence, ...question })
    if (sent instanceof Error) return { kind: 'refused', error: sent }
    const over = new AbortController()
    const end = (): void => over.abort()
    this.#signal.addEventListener('abort', end, { once: true })
    const answered = new Promise<Answer>((answer) => this.#waiting.set(sequence, { ...sent, sent_ms: this.#clock.now(), packet_size: question.packet_size, answer }))
    const given = await Promise.race([answered, pause(this.#clock, timeoutMs, over.signal).then(() => SILENCE)])
    this.#signal.removeEventListener('abort', end)
    over.abort()
    this.#waiting.delete(sequence)
    return given
  }

  /** The same question up to three times, a quarter of the timeout apart, until one of them is answered: a packet can be lost for other reasons. */
  async askAgain(question: Question, timeoutMs: number): Promise<Answer> {
    const over = new AbortController()
    const asked = [0, 1, 2].map(async (turn) => {
      await pause(this.#clock, (turn * timeoutMs) / 4, AbortSignal.any([over.signal, this.#signal]))
      return over.signal.aborted ? SILENCE : this.ask(question, timeoutMs)
    })
    const answer = await firstOf(asked)
    over.abort()
    return answer
  }

  close(): void {
    this.#line.close()
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

/** The first that is no silence, or silence when all are. */
const firstOf = (asked: readonly Promise<Answer>[]): Promise<Answer> =>
  new Promise((resolve, reject) => {
    for (const one of asked) one.then((answer) => answer.kind === 'silence' || resolve(answer), reject)
    Promise.all(asked).then(() => resolve(SILENCE), reject)
  })
