// Which interfaces of the tunnels are there and up: told by the kernel's events, and looked at where an event says no more than that something changed.
import type { Logger } from 'pino'
import type { HostEvent } from '@panel/shared/events/model.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { isAway } from '../../platform/helper/away.ts'
import type { LinkState } from './watched.ts'

/** As many names as one question takes. */
const AT_ONCE = 2000

interface Parts {
  readonly ask: Reader
  readonly logger: Logger
  readonly onState: (interface_name: string, state: LinkState) => void
}

export class Links {
  readonly #parts: Parts
  /** The index of each by its name; 0 where none is known. */
  readonly #known = new Map<string, number>()
  readonly #doubtful = new Set<string>()
  #looking: Promise<void> | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Looks at it, now and whenever it changes. */
  follow(interface_name: string): void {
    if (!this.#known.has(interface_name)) this.#known.set(interface_name, 0)
    this.#doubt(interface_name)
  }

  forget(interface_name: string): void {
    this.#known.delete(interface_name)
    this.#doubtful.delete(interface_name)
  }

  /** One that is gone is gone at once. */
  hear(events: readonly HostEvent[]): void {
    for (const { subject, interface_name, index, is_removal } of events) {
      if (subject === 'lost') for (const name of this.#known.keys()) this.#doubt(name)
      if (subject !== 'link') continue
      if (this.#known.has(interface_name)) {
        if (is_removal) this.#learn(interface_name, 'missing', 0)
        this.#doubt(interface_name)
      }
      // A renamed link is told under its new name alone.
      for (const [name, known] of this.#known)
        if (known === index && index !== 0 && name !== interface_name) this.#doubt(name)
    }
  }

  /** Resolves when nothing is in doubt, or cannot be looked at. */
  async settled(): Promise<void> {
    await this.#looking
  }

  #doubt(interface_name: string): void {
    this.#doubtful.add(interface_name)
    this.#looking ??= this.#look().finally(() => (this.#looking = null))
  }

  /** What changes while it is looked at stays in doubt and is looked at again. Where nobody can look, the next event asks again. */
  async #look(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#doubtful.size > 0) {
      const names = [...this.#doubtful].slice(0, AT_ONCE)
      for (const name of names) this.#doubtful.delete(name)
      try {
        const { links } = await this.#parts.ask('link.probe', { interface_names: names })
        const seen = new Map(links.map(({ interface_name, observed }) => [interface_name, observed]))
        for (const name of names.filter((one) => this.#known.has(one) && !this.#doubtful.has(one))) {
          const link = seen.get(name)
          this.#learn(name, link ? (link.is_up ? 'up' : 'down') : 'missing', link?.index ?? 0)
        }
      } catch (err) {
        for (const name of names) this.#doubtful.add(name)
        if (!isAway(err)) this.#parts.logger.error({ err }, 'the interfaces of the tunnels cannot be looked at')
        return
      }
    }
  }

  #learn(interface_name: string, state: LinkState, index: number): void {
    this.#known.set(interface_name, index)
    this.#parts.onState(interface_name, state)
  }
}
