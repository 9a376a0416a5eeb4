// What happens inside the panel, told to whoever listens in this process: after it is stored, so that a listener finds it.
import type { Logger } from 'pino'
import type { LastPass } from '@panel/shared/api/reconcile.ts'
import type { RouteHealthEvent } from '@panel/shared/api/routes/answers.ts'
import type { HostEvent } from '@panel/shared/events/model.ts'
import type { SettingKey } from '../../features/settings/definitions.ts'

interface TunnelEvent {
  readonly tunnel_id: number
  readonly interface_name: string
}

export interface PanelEvents {
  'tunnel.created': TunnelEvent
  'tunnel.updated': TunnelEvent
  'tunnel.deleted': TunnelEvent
  /** The panel has taken rules to what they shall be, or failed to. Their records may be written after that, in the same turn. */
  'routes.changed': { readonly route_rule_ids: readonly number[] }
  'route.health': RouteHealthEvent
  /** What a background pass found is not what the one before it found. */
  'reconcile.changed': LastPass
  /** Hints of the kernel (see HostEvent), the panel's own changes among them. */
  'host.changed': { readonly events: readonly HostEvent[] }
  /** Their values are other ones than before: timers that go by one are to be set anew. */
  'settings.changed': { readonly keys: readonly SettingKey[] }
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

  /** How many listen, to whatever. */
  get count(): number {
    return [...this.#listeners.values()].reduce((all, { size }) => all + size, 0)
  }

  /** A listener that fails is logged: who publishes has done his work, and the other listeners hear of it. */
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
