// Events within the panel. An event is published after the change is stored, so that a listener finds it.
import type { Logger } from 'pino'
import type { HostEvent } from '@panel/shared/events/model.ts'

/**
 * The events by name. Each feature adds its own in its events.ts by declaration merging, so the platform names none of
 * them.
 */
export interface PanelEvents {
  /** Hints of the kernel (see HostEvent), the panel's own changes among them. */
  'host.changed': { readonly events: readonly HostEvent[] }
}

type EventName = keyof PanelEvents
type Listener<N extends EventName> = (event: PanelEvents[N]) => void

export type Publish = <N extends EventName>(name: N, event: PanelEvents[N]) => void

export class Bus {
  readonly #logger: Logger
  readonly #listeners = new Map<EventName, Set<Listener<never>>>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** The number of listeners, of all events. */
  get count(): number {
    return [...this.#listeners.values()].reduce((all, { size }) => all + size, 0)
  }

  /** A failing listener is logged; the publisher and the other listeners go on. */
  readonly publish: Publish = (name, event) => {
    for (const listener of [...(this.#listeners.get(name) ?? [])] as Listener<typeof name>[]) {
      try {
        listener(event)
      } catch (err) {
        this.#logger.error({ err, event: name }, 'a listener failed')
      }
    }
  }

  /** Returns the function that ends it. */
  subscribe<N extends EventName>(name: N, listener: Listener<N>): () => void {
    const own: Listener<N> = (event) => listener(event)
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(own))
    return () => void listeners.delete(own)
  }
}
