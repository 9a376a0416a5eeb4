// Whether the tunnels' interfaces exist and are up: kept current by kernel events, and probed if an event only says
// that something changed.
import type { Logger } from 'pino'
import type { HostEvent } from '@panel/shared/events/model.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { isHelperAway } from '../../platform/helper/away.ts'
import type { LinkState } from './watched-tunnel.ts'

/** The most names in one request. */
const AT_ONCE = 2000

interface LinksDeps {
  readonly request: Reader
  readonly logger: Logger
  readonly onState: (interface_name: string, state: LinkState) => void
}

export class Links {
  readonly #deps: LinksDeps
  /** Interface index by name; 0 if not known. */
  readonly #indexes = new Map<string, number>()
  readonly #unchecked = new Set<string>()
  #checking: Promise<void> | null = null

  constructor(deps: LinksDeps) {
    this.#deps = deps
  }

  /** Probes it now and whenever it changes. */
  follow(interface_name: string): void {
    if (!this.#indexes.has(interface_name)) this.#indexes.set(interface_name, 0)
    this.#queueCheck(interface_name)
  }

  forget(interface_name: string): void {
    this.#indexes.delete(interface_name)
    this.#unchecked.delete(interface_name)
  }

  /** A removal takes effect at once. */
  onHostEvents(events: readonly HostEvent[]): void {
    for (const { subject, interface_name, index, is_removal } of events) {
      if (subject === 'lost') for (const name of this.#indexes.keys()) this.#queueCheck(name)
      if (subject !== 'link') continue
      if (this.#indexes.has(interface_name)) {
        if (is_removal) this.#setState(interface_name, 'missing', 0)
        this.#queueCheck(interface_name)
      }
      // The event of a renamed link only has its new name.
      for (const [name, knownIndex] of this.#indexes)
        if (knownIndex === index && index !== 0 && name !== interface_name) this.#queueCheck(name)
    }
  }

  /** Resolves when no check is pending, or the last one failed. */
  async settled(): Promise<void> {
    await this.#checking
  }

  #queueCheck(interface_name: string): void {
    this.#unchecked.add(interface_name)
    this.#checking ??= this.#check().finally(() => (this.#checking = null))
  }

  /** A link that changes meanwhile is checked again. If the helper is away, the next event tries again. */
  async #check(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#unchecked.size > 0) {
      const names = [...this.#unchecked].slice(0, AT_ONCE)
      for (const name of names) this.#unchecked.delete(name)
      try {
        const { links } = await this.#deps.request('link.probe', { interface_names: names })
        const observedLinks = new Map(links.map(({ interface_name, observed }) => [interface_name, observed]))
        for (const name of names.filter((one) => this.#indexes.has(one) && !this.#unchecked.has(one))) {
          const link = observedLinks.get(name)
          this.#setState(name, link ? (link.is_up ? 'up' : 'down') : 'missing', link?.index ?? 0)
        }
      } catch (err) {
        for (const name of names) this.#unchecked.add(name)
        if (!isHelperAway(err)) this.#deps.logger.error({ err }, 'the interfaces of the tunnels cannot be probed')
        return
      }
    }
  }

  #setState(interface_name: string, state: LinkState, index: number): void {
    this.#indexes.set(interface_name, index)
    this.#deps.onState(interface_name, state)
  }
}
