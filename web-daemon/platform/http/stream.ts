// What a stream of server-sent events is to a feature: it is handed a subscriber once the answer has begun, and told when that one is gone.

/** One event as it goes over the wire, written once for however many take it. */
export interface StreamEvent {
  readonly bytes: Buffer
}

/** `data` becomes one line of JSON; names are words of ours. */
export const eventOf = (name: string, data: unknown): StreamEvent => ({
  bytes: Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`),
})

export interface Subscriber {
  /** Never waits and never fails: of what a slow client has not taken yet, the oldest goes. */
  readonly send: (event: StreamEvent) => void
  /** The source has nothing more to say. */
  readonly end: () => void
}

/** Begins to send, and gives back what lets go of the subscriber; that is called once, however the stream ended. */
export type StreamSource = (subscriber: Subscriber) => () => void

/** One source for many: each first receives the current picture, then every event. */
export class Topic {
  readonly #current: () => StreamEvent | null
  readonly #subscribers = new Set<Subscriber>()

  /** `current`: null while there is no picture yet; the first event is then the first of all. */
  constructor(current: () => StreamEvent | null) {
    this.#current = current
  }

  get size(): number {
    return this.#subscribers.size
  }

  readonly source: StreamSource = (subscriber) => {
    const current = this.#current()
    if (current) subscriber.send(current)
    this.#subscribers.add(subscriber)
    return () => void this.#subscribers.delete(subscriber)
  }

  /** The event is made only where somebody takes it. */
  publish(event: () => StreamEvent): void {
    if (this.#subscribers.size === 0) return
    const made = event()
    for (const subscriber of this.#subscribers) subscriber.send(made)
  }
}
