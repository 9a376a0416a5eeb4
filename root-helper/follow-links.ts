// Work that is due whenever links, addresses or default routes change: many change at once, and one pass is enough for
// all of them.
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostEvent } from '@panel/shared/events/model.ts'
import type { KernelEvents } from './kernel/facilities.ts'
import type { InTurn } from './one-at-a-time.ts'

const TOGETHER_MS = 20

export interface LinkWork {
  /** Logs that the work failed. */
  readonly failed: (error: unknown) => void
  readonly isConcerned: (event: HostEvent) => boolean
  /** Runs in turn with the changes of the helper, so it never meets one half done. */
  readonly work: (cause: 'start' | 'change') => Promise<void>
}

/** Whether it is of a link or an address, or of what is not known. */
export const isOfLinks = ({ subject }: HostEvent): boolean => subject !== 'route'

/** One watch of the kernel for all of the works. */
export class LinkFollower {
  readonly #events: Pick<KernelEvents, 'watchLinks'>
  readonly #inTurn: InTurn
  readonly #works: readonly LinkWork[]
  readonly #due = new Set<LinkWork>()
  #end: () => void = () => undefined

  constructor(events: Pick<KernelEvents, 'watchLinks'>, inTurn: InTurn, works: readonly LinkWork[]) {
    this.#events = events
    this.#inTurn = inTurn
    this.#works = works
  }

  /** Returns once every work is done for the first time; each is due again with the changes that concern it. */
  async start(): Promise<void> {
    try {
      this.#end = this.#events.watchLinks((event) => this.#note(event))
    } catch (error) {
      for (const { failed } of this.#works) failed(error)
    }
    await this.run()
  }

  end(): void {
    this.#end()
  }

  async run(): Promise<void> {
    for (const one of this.#works) await this.#run(one, 'start')
  }

  #note(event: HostEvent): void {
    const isWaiting = this.#due.size > 0
    for (const one of this.#works) if (one.isConcerned(event)) this.#due.add(one)
    if (!isWaiting && this.#due.size > 0) void this.#soon()
  }

  async #soon(): Promise<void> {
    await sleep(TOGETHER_MS)
    const due = [...this.#due]
    this.#due.clear()
    for (const one of due) await this.#run(one, 'change')
  }

  #run({ work, failed }: LinkWork, cause: 'start' | 'change'): Promise<void> {
    return this.#inTurn(() => work(cause), 'own').catch(failed)
  }
}
