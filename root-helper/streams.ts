// The streams of one connection: requests that have items before their answer. They are few, go at the far end's pace,
// and end with the connection.
import { message } from '@panel/shared/messages/message.ts'
import { STREAM_ITEM } from '@panel/shared/rpc/methods.ts'
import { RefusedError } from './refused.ts'

/**
 * Ends soon after the signal, with its result or by throwing. The next item is taken once the far end has received the
 * one before.
 */
export type StreamSource = (signal: AbortSignal) => AsyncGenerator<unknown, unknown, void>

const MAX_OF_CONNECTION = 32

/** The streams that may run at once in the whole helper. */
export class StreamSlots {
  readonly #limit: number
  #taken = 0

  constructor(limit = 128) {
    this.#limit = limit
  }

  get taken(): number {
    return this.#taken
  }

  take(): void {
    if (this.#taken >= this.#limit) throw new RefusedError('busy', message('root.streams_full', { count: this.#limit }))
    this.#taken += 1
  }

  leave(): void {
    this.#taken -= 1
  }
}

export class Streams {
  readonly #running = new Map<number, AbortController>()
  readonly #send: (text: string) => Promise<void>
  readonly #slots: StreamSlots
  #hasEnded = false

  /** `send` resolves when the far end keeps up, and when it is gone. */
  constructor(send: (text: string) => Promise<void>, slots: StreamSlots) {
    this.#send = send
    this.#slots = slots
  }

  /** Resolves with the result that the stream ends with. */
  async run(id: number, open: StreamSource): Promise<unknown> {
    if (this.#running.has(id)) throw new RefusedError('malformed', `A stream with the id ${id} is running already`)
    if (this.#running.size >= MAX_OF_CONNECTION)
      throw new RefusedError('busy', message('root.streams_of_connection', { count: MAX_OF_CONNECTION }))
    this.#slots.take()
    const ending = new AbortController()
    this.#running.set(id, ending)
    if (this.#hasEnded) ending.abort()
    try {
      return await this.#carry(id, open(ending.signal))
    } finally {
      this.#running.delete(id)
      this.#slots.leave()
    }
  }

  /** Whether there was such a stream. */
  cancel(id: number): boolean {
    this.#running.get(id)?.abort()
    return this.#running.has(id)
  }

  endAll(): void {
    this.#hasEnded = true
    for (const ending of this.#running.values()) ending.abort()
  }

  async #carry(id: number, items: AsyncGenerator<unknown, unknown, void>): Promise<unknown> {
    for (;;) {
      const next = await items.next()
      if (next.done) return next.value
      await this.#send(JSON.stringify({ jsonrpc: '2.0', method: STREAM_ITEM, params: { id, item: next.value } }))
    }
  }
}
