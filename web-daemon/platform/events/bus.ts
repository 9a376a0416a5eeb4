// Events within the panel. One is published after the change is stored, so that a listener finds it. What has to follow
// even if the daemon is killed right after that is written by the same transaction: see StoredEvents.
import type { Logger } from 'pino'
import type { HostEvent } from '@panel/shared/events/model.ts'
import type { StoreTransaction } from '../db/database.ts'

/**
 * The events by name. Each feature adds its own in its events.ts by declaration merging, so the platform names none of
 * them.
 */
export interface PanelEvents {
  /** Hints of the kernel (see HostEvent), the panel's own changes among them. */
  'host.changed': { readonly events: readonly HostEvent[] }
}

/** Events that leave a row in the store, by name. Each feature adds its own in its events.ts, as above. */
export interface StoredEvents {}

type EventName = keyof PanelEvents
type Listener<N extends EventName> = (event: PanelEvents[N]) => void
type StoredName = keyof StoredEvents
type Writer<N extends StoredName> = (transaction: StoreTransaction, events: readonly StoredEvents[N][]) => Promise<void>

export type Publish = <N extends EventName>(name: N, event: PanelEvents[N]) => void

/** Call it in the transaction that stores the events: it fails where a writer cannot write what follows from them. */
export type PublishIn = <N extends StoredName>(
  transaction: StoreTransaction,
  name: N,
  events: readonly StoredEvents[N][],
) => Promise<void>

export class Bus {
  readonly #logger: Logger
  readonly #listeners = new Map<EventName, Set<Listener<never>>>()
  readonly #writers = new Map<StoredName, Set<Writer<never>>>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** The number of listeners, of all events. */
  get count(): number {
    return [...this.#listeners.values(), ...this.#writers.values()].reduce((all, { size }) => all + size, 0)
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

  readonly publishIn: PublishIn = async (transaction, name, events) => {
    if (events.length === 0) return
    for (const write of [...(this.#writers.get(name) ?? [])] as Writer<typeof name>[]) await write(transaction, events)
  }

  /** Returns the function that ends it. */
  subscribe<N extends EventName>(name: N, listener: Listener<N>): () => void {
    const own: Listener<N> = (event) => listener(event)
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(own))
    return () => void listeners.delete(own)
  }

  /** `writer` writes through the transaction that it is given, and waits for nothing else. As above. */
  subscribeIn<N extends StoredName>(name: N, writer: Writer<N>): () => void {
    const own: Writer<N> = (transaction, events) => writer(transaction, events)
    const writers = this.#writers.get(name) ?? new Set()
    this.#writers.set(name, writers.add(own))
    return () => void writers.delete(own)
  }
}
