// One event stream of the API, open while somebody looks: closed a while after the tab is hidden, reopened with a fresh picture, and honest about its age.
import type { EndpointName, Endpoints } from '@panel/shared/api/endpoints.ts'
import { call, isSessionLost, pathOf } from './api.ts'
import { api_base_path } from './panel.ts'

/** The endpoints that an EventSource can open. */
type Streams = {
  [R in EndpointName & `GET ${string}`]: Endpoints[R] extends { events: object } ? R : never
}[EndpointName & `GET ${string}`]
/** What reaches the page between two frames is taken in one go. */
type Handlers<R extends Streams> = {
  readonly [E in keyof Endpoints[R]['events']]?: (events: readonly Endpoints[R]['events'][E][]) => void
}
type AnyHandlers = Readonly<Record<string, (events: readonly unknown[]) => void>>

const HIDDEN_MS = 10_000
const RETRY_MS = 3000

export class LiveStream<R extends Streams = Streams> {
  /** Null before the first answer and after the last looker has gone. */
  isLive = $state<boolean | null>(null)
  lastAt = $state.raw<Date | null>(null)
  readonly #route: R
  readonly #handlers: AnyHandlers
  #source: EventSource | null = null
  #lookers = 0
  #waiting: [string, unknown][] = []
  #frame = 0
  #hiding: ReturnType<typeof setTimeout> | undefined
  #retrying: ReturnType<typeof setTimeout> | undefined

  constructor(route: R, handlers: Handlers<R>) {
    this.#route = route
    this.#handlers = handlers as AnyHandlers
    document.addEventListener('visibilitychange', () => this.#tabChanged())
  }

  /** For `$effect(() => stream.look())`: open from now until what is answered is called. */
  readonly look = (): (() => void) => {
    this.#lookers += 1
    this.#open()
    return () => {
      this.#lookers -= 1
      // The next page may look at the same stream.
      setTimeout(() => {
        if (this.#lookers === 0) this.#close()
      }, 500)
    }
  }

  #open(): void {
    if (this.#source || this.#lookers === 0 || document.hidden) return
    const source = new EventSource(api_base_path + pathOf<Streams>(this.#route))
    this.#source = source
    source.onerror = () => {
      this.#show()
      this.isLive = false
      if (source.readyState === EventSource.CLOSED) void this.#afterRefusal()
    }
    for (const name of Object.keys(this.#handlers))
      source.addEventListener(name, ({ data }: MessageEvent<string>) => this.#take(name, data))
  }

  #take(name: string, data: string): void {
    this.#waiting.push([name, JSON.parse(data) as unknown])
    this.#frame ||= requestAnimationFrame(() => this.#show())
  }

  /** What waits for the next frame; before the end of the stream is told at the latest, or the frame would call it live again. */
  #show(): void {
    cancelAnimationFrame(this.#frame)
    this.#frame = 0
    const waiting = this.#waiting.splice(0)
    if (waiting.length === 0) return
    for (const [known, handle] of Object.entries(this.#handlers)) {
      const events = waiting.flatMap(([of, event]) => (of === known ? [event] : []))
      if (events.length > 0) handle(events)
    }
    this.isLive = true
    this.lastAt = new Date()
  }

  /** An EventSource cannot see why it was refused: mostly the session ran out, which asking anything else renews. */
  async #afterRefusal(): Promise<void> {
    this.#source?.close()
    this.#source = null
    try {
      await call('GET /auth/me')
      this.#retrying = setTimeout(() => this.#open(), RETRY_MS)
    } catch (failure) {
      if (!isSessionLost(failure)) this.#retrying = setTimeout(() => void this.#afterRefusal(), RETRY_MS)
    }
  }

  #tabChanged(): void {
    clearTimeout(this.#hiding)
    if (document.hidden) this.#hiding = setTimeout(() => this.#close(), HIDDEN_MS)
    else this.#open()
  }

  #close(): void {
    clearTimeout(this.#retrying)
    this.#source?.close()
    this.#source = null
    this.#show()
    this.isLive = null
  }
}
