// The monitor stream: the summary for each new subscriber, then every change, no faster than a subscriber can take them
// (decisions.md, E1, E2, E4).
import { serializeEvent, Topic, type StreamEvent } from '../../platform/http/stream.ts'

/** More at once would overrun the queue of a fast subscriber, as when every tunnel changes with the helper. */
const AT_ONCE = 32
const EVERY_MS = 50
/** Subscribers that come within this time share one summary, unless something changed. */
const PICTURE_MS = 1000

export class Feed {
  readonly topic: Topic
  readonly #readSummary: () => object
  #cached: { readonly event: StreamEvent; readonly at: number } | null = null
  #waiting: StreamEvent[] = []
  #room = AT_ONCE
  #timer: NodeJS.Timeout | null = null

  constructor(readSummary: () => object) {
    this.#readSummary = readSummary
    this.topic = new Topic(() => this.#summary())
  }

  publish(name: 'tunnel' | 'tunnel_deleted' | 'reconcile' | 'route' | 'heal' | 'safe_apply', data: () => object): void {
    this.#cached = null
    if (this.topic.size === 0) return
    this.#waiting.push(serializeEvent(name, data()))
    this.#send()
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#waiting = []
  }

  #summary(): StreamEvent {
    const at = performance.now()
    if (!this.#cached || at - this.#cached.at > PICTURE_MS)
      this.#cached = { event: serializeEvent('summary', this.#readSummary()), at }
    return this.#cached.event
  }

  #send(): void {
    for (; this.#room > 0 && this.#waiting.length > 0; this.#room--) {
      const event = this.#waiting.shift()
      if (event) this.topic.publish(() => event)
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#room = AT_ONCE
      if (this.#waiting.length > 0) this.#send()
    }, EVERY_MS)
  }
}
