// One client of a stream: events that it has not taken wait in a short queue, so that a slow client does not slow down
// the source (decisions.md, E3, E4).
import type { Response } from 'express'
import type { StreamEvent, Subscriber } from './stream.ts'

const HEARTBEAT_MS = 20_000
const BEGINNING = 'retry: 3000\n\n'
const HEARTBEAT = ': heartbeat\n\n'

export class StreamConnection implements Subscriber {
  readonly #res: Response
  readonly #limit: number
  readonly #waiting: StreamEvent[] = []
  #beaten_at: number
  #isEnding = false

  /** `limit`: how many events may wait. */
  constructor(res: Response, limit: number, now: Date) {
    this.#res = res
    this.#limit = limit
    this.#beaten_at = now.getTime()
    // Not through Express, which would add a charset.
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
    res.on('drain', () => this.#sendWaiting())
    res.write(BEGINNING)
  }

  readonly send = (event: StreamEvent): void => {
    if (!this.#isOpen || this.#isEnding) return
    this.#waiting.push(event)
    if (this.#waiting.length > this.#limit) this.#waiting.shift()
    this.#sendWaiting()
  }

  /** A client that is behind gets no heartbeat: it has data to read, and a heartbeat would displace an event. */
  beat(now: Date): void {
    const since = now.getTime() - this.#beaten_at
    if (since >= 0 && since < HEARTBEAT_MS) return
    this.#beaten_at = now.getTime()
    if (this.#isOpen && !this.#res.writableNeedDrain) this.#res.write(HEARTBEAT)
  }

  /** Waiting events are still sent. */
  readonly end = (): void => {
    this.#isEnding = true
    this.#sendWaiting()
  }

  /** Waiting events are dropped: the client has lost its session, or the panel stops. */
  cut(): void {
    this.#waiting.length = 0
    if (this.#res.writableNeedDrain) this.#res.destroy()
    else this.end()
  }

  get #isOpen(): boolean {
    return !this.#res.destroyed && !this.#res.writableEnded
  }

  #sendWaiting(): void {
    while (this.#isOpen && !this.#res.writableNeedDrain) {
      const next = this.#waiting.shift()
      if (next) this.#res.write(next.bytes)
      else if (this.#isEnding) this.#res.end()
      else return
    }
  }
}
