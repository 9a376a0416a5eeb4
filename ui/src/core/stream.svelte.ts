// An event stream, open while it has subscribers: closed some time after the tab is hidden, reopened with a fresh
// snapshot.
import type { EndpointName, Endpoints } from '@panel/shared/api/endpoints.ts'
import { call, isSessionLost, requestPath } from './api.ts'
import { api_base_path } from './panel.ts'

/** Endpoints for EventSource. */
type Streams = {
  [R in EndpointName & `GET ${string}`]: Endpoints[R] extends { events: object } ? R : never
}[EndpointName & `GET ${string}`]
/** Events of one frame are handled together. */
type Handlers<R extends Streams> = {
  readonly [E in keyof Endpoints[R]['events']]?: (events: readonly Endpoints[R]['events'][E][]) => void
}
type AnyHandlers = Readonly<Record<string, (events: readonly unknown[]) => void>>

const HIDDEN_MS = 10_000
const RETRY_MS = 3000

export class LiveStream<R extends Streams = Streams> {
  /** Null before the first event and without subscribers. */
  isLive = $state<boolean | null>(null)
  lastAt = $state.raw<Date | null>(null)
  readonly #route: R
  readonly #handlers: AnyHandlers
  #source: EventSource | null = null
  #subscribers = 0
  #queue: [string, unknown][] = []
  #frame = 0
  #hideTimer: ReturnType<typeof setTimeout> | undefined
  #retryTimer: ReturnType<typeof setTimeout> | undefined

  constructor(route: R, handlers: Handlers<R>) {
    this.#route = route
    this.#handlers = handlers as AnyHandlers
    document.addEventListener('visibilitychange', () => this.#visibilityChanged())
  }

  /** For `$effect(() => stream.subscribe())`: open until the returned function is called. */
  readonly subscribe = (): (() => void) => {
    this.#subscribers += 1
    this.#open()
    return () => {
      this.#subscribers -= 1
      // The next page may use the same stream.
      setTimeout(() => {
        if (this.#subscribers === 0) this.#close()
      }, 500)
    }
  }

  #open(): void {
    if (this.#source || this.#subscribers === 0 || document.hidden) return
    const source = new EventSource(api_base_path + requestPath<Streams>(this.#route))
    this.#source = source
    source.onerror = () => {
      this.#flush()
      this.isLive = false
      if (source.readyState === EventSource.CLOSED) void this.#reconnect()
    }
    for (const name of Object.keys(this.#handlers))
      source.addEventListener(name, ({ data }: MessageEvent<string>) => this.#enqueue(name, data))
  }

  #enqueue(name: string, data: string): void {
    this.#queue.push([name, JSON.parse(data) as unknown])
    this.#frame ||= requestAnimationFrame(() => this.#flush())
  }

  /** Flushes before an error is reported too, or the pending frame would mark the stream live again. */
  #flush(): void {
    cancelAnimationFrame(this.#frame)
    this.#frame = 0
    const queue = this.#queue.splice(0)
    if (queue.length === 0) return
    for (const [wanted, handle] of Object.entries(this.#handlers)) {
      const events = queue.flatMap(([of, event]) => (of === wanted ? [event] : []))
      if (events.length > 0) handle(events)
    }
    this.isLive = true
    this.lastAt = new Date()
  }

  /** EventSource hides the reason; mostly the session expired, which any other request renews. */
  async #reconnect(): Promise<void> {
    this.#source?.close()
    this.#source = null
    try {
      await call('GET /auth/me')
      this.#retryTimer = setTimeout(() => this.#open(), RETRY_MS)
    } catch (failure) {
      if (!isSessionLost(failure)) this.#retryTimer = setTimeout(() => void this.#reconnect(), RETRY_MS)
    }
  }

  #visibilityChanged(): void {
    clearTimeout(this.#hideTimer)
    if (document.hidden) this.#hideTimer = setTimeout(() => this.#close(), HIDDEN_MS)
    else this.#open()
  }

  #close(): void {
    clearTimeout(this.#retryTimer)
    this.#source?.close()
    this.#source = null
    this.#flush()
    this.isLive = null
  }
}
