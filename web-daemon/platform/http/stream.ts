// Server-sent events as a feature sees them: it gets a subscriber once the headers are sent, and is notified when the
// subscriber is gone.

/** An event in wire format, serialised once for all subscribers. */
export interface StreamEvent {
  readonly bytes: Buffer
}

/** `data` becomes one line of JSON; `name` is one of ours. */
export function serializeEvent(name: string, data: unknown): StreamEvent {
  return {
    bytes: Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`),
  }
}

export interface Subscriber {
  /** Never waits and never fails: a slow client loses the oldest events. */
  readonly send: (event: StreamEvent) => void
  /** The source has nothing more to send. */
  readonly end: () => void
}

/** Starts sending and returns the function that removes the subscriber; it is called once, however the stream ends. */
export type StreamSource = (subscriber: Subscriber) => () => void

/** One source for many subscribers: each first receives the current state, then every event. */
export class Topic {
  readonly #current: () => StreamEvent | null
  readonly #subscribers = new Set<Subscriber>()

  /** `current`: null if there is no state yet. */
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

  /** Publishes an event, which is made only if there are subscribers. */
  publish(event: () => StreamEvent): void {
    if (this.#subscribers.size === 0) return
    const made = event()
    for (const subscriber of this.#subscribers) subscriber.send(made)
  }
}
