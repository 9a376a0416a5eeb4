// Keeps what is masqueraded over tunnels going when they are restarted: the backend is given the address of each, and
// again whenever links or addresses change.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kernel } from '../../kernel/facilities.ts'
import { log } from '../../log.ts'
import type { InTurn } from '../../one-at-a-time.ts'
import { messageOf } from '../../text.ts'

/** Many links change at once, and one look is enough for all of them. */
const TOGETHER_MS = 20

type Deps = Pick<Kernel, 'links' | 'events' | 'rulesets'>

/**
 * After a change of an address new connections are given the old one until it is this one's turn, which comes when the
 * change under way has ended. Addresses that nobody follows are given to nobody: the kernel masquerades by itself.
 */
export class SourceFollower {
  readonly #kernel: Deps
  readonly #inTurn: InTurn
  #isWaiting = false
  #end: () => void = () => undefined

  constructor(kernel: Deps, inTurn: InTurn) {
    this.#kernel = kernel
    this.#inTurn = inTurn
  }

  /** From now on links and addresses are followed. */
  watch(): void {
    try {
      this.#end = this.#kernel.events.watchLinks(() => void (this.#isWaiting || this.#followSoon()))
    } catch (error) {
      logFailure(error)
    }
  }

  end(): void {
    this.#end()
  }

  follow(): Promise<void> {
    const { links, rulesets } = this.#kernel
    return this.#inTurn(async () => {
      this.#isWaiting = false
      await rulesets.followSources(await links.sources())
      await rulesets.followDevices(await links.devices())
    }, 'own').catch(logFailure)
  }

  async #followSoon(): Promise<void> {
    this.#isWaiting = true
    await sleep(TOGETHER_MS)
    await this.follow()
  }
}

const logFailure = (error: unknown): void =>
  log('warning', 'The addresses of the tunnels are not followed', { detail: messageOf(error) })
