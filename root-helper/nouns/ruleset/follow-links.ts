// Work that is due whenever links or addresses change: many change at once, and one pass is enough for all of them.
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostEvent } from '@panel/shared/events/model.ts'
import type { KernelEvents } from '../../kernel/facilities.ts'
import { log } from '../../log.ts'
import type { InTurn } from '../../one-at-a-time.ts'
import { messageOf } from '../../text.ts'

const TOGETHER_MS = 20

export interface LinkWork {
  /** For the log, if the work fails. */
  readonly failure: string
  readonly isConcerned: (event: HostEvent) => boolean
  /** Runs in turn with the changes of the helper, so it never meets one half done. */
  readonly work: (cause: 'start' | 'change') => Promise<void>
}

export class LinkFollower {
  readonly #events: Pick<KernelEvents, 'watchLinks'>
  readonly #inTurn: InTurn
  readonly #what: LinkWork
  #isWaiting = false
  #end: () => void = () => undefined

  constructor(events: Pick<KernelEvents, 'watchLinks'>, inTurn: InTurn, what: LinkWork) {
    this.#events = events
    this.#inTurn = inTurn
    this.#what = what
  }

  /** Returns once the work is done for the first time; it is due again with each change from now on. */
  async start(): Promise<void> {
    try {
      this.#end = this.#events.watchLinks((event) => {
        if (this.#what.isConcerned(event) && !this.#isWaiting) void this.#soon()
      })
    } catch (error) {
      this.#fail(error)
    }
    await this.run()
  }

  end(): void {
    this.#end()
  }

  run(cause: 'start' | 'change' = 'start'): Promise<void> {
    const work = (): Promise<void> => {
      this.#isWaiting = false
      return this.#what.work(cause)
    }
    return this.#inTurn(work, 'own').catch((error: unknown) => this.#fail(error))
  }

  async #soon(): Promise<void> {
    this.#isWaiting = true
    await sleep(TOGETHER_MS)
    await this.run('change')
  }

  #fail(error: unknown): void {
    log('warning', this.#what.failure, { detail: messageOf(error) })
  }
}
