// The events that one reader has not taken yet. The queue is bounded: a slow reader loses events, and is informed of
// it.
import { setTimeout as sleep } from 'node:timers/promises'
import { LOST, MAX_BATCH, type HostEvent } from '@panel/shared/events/model.ts'

/** A thousand links that are made or go at once fit in. */
const MAX_WAITING = 8192
/** The kernel reports one change in several messages, which go out as one item. */
const BATCH_MS = 5

export class EventQueue {
  #events: HostEvent[] = []
  #isClosed = false
  #wake: () => void = () => undefined

  /**
   * Adds an event. If there is no room, a single "lost" replaces all that waits: the reader must look at everything
   * anyway.
   */
  push(event: HostEvent): void {
    if (event.subject === 'lost' || this.#events.length >= MAX_WAITING) this.#events = [LOST]
    // A routing daemon changes thousands of routes at a time, and none of these events names one.
    else if (event.subject !== 'route' || this.#events.at(-1)?.subject !== 'route') this.#events.push(event)
    this.#wake()
  }

  /** Waits for events; none where the queue was closed. */
  async take(): Promise<HostEvent[]> {
    if (this.#events.length === 0 && !this.#isClosed) await new Promise<void>((resolve) => (this.#wake = resolve))
    if (!this.#isClosed) await sleep(BATCH_MS)
    return this.#isClosed ? [] : this.#events.splice(0, MAX_BATCH)
  }

  close(): void {
    this.#isClosed = true
    this.#wake()
  }
}
