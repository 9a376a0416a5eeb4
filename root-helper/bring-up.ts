// What a helper does before it serves: it puts back what an earlier one was stopped in, and brings the relay rules
// back. While the backend of relay rules fails, it serves all the same, keeps its hands off them, and tries again.
import { message } from '@panel/shared/messages/message.ts'
import type { HelperDeps } from './handlers.ts'
import { holdsRules, startRules } from './nouns/ruleset/start.ts'
import { forgetGone } from './nouns/tunnel/ownership.ts'
import { transactionsOf } from './nouns/transactions.ts'
import { log } from './log.ts'
import { recover } from './recover.ts'
import { messageOf, oneLine } from './text.ts'

/** Pauses between the tries before it serves, and then between those beside serving, the last one for ever. */
const BEFORE_SERVING_MS = [100, 300, 1000]
const BESIDE_SERVING_MS = [2000, 5000, 10_000, 30_000, 60_000]

type BringUpDeps = Pick<HelperDeps, 'kernel' | 'journal' | 'windows' | 'inTurn' | 'hold'>

export class BringUp {
  readonly #deps: BringUpDeps
  #hadRules: boolean | null = null
  #isPutBack = false
  #logged: string | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(deps: BringUpDeps) {
    this.#deps = deps
  }

  /** `whenUp` is called if it takes longer than this waits, once all is brought up beside serving. */
  async start(whenUp: () => Promise<void>): Promise<void> {
    for (const pause of [0, ...BEFORE_SERVING_MS]) {
      await new Promise((resolve) => setTimeout(resolve, pause))
      if ((await this.attempt()) === null) return
      if (this.#deps.kernel.ruleBackends.active.active === 'none') break
    }
    this.#tryLater(whenUp, 0)
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  /** Returns why not all is brought up, or null. */
  async attempt(): Promise<string | null> {
    const why = await this.#attempt().catch((error: unknown) => oneLine(messageOf(error)))
    if (why !== null && why !== this.#logged)
      log('error', 'The relay rules last accepted are not brought back', { detail: why })
    this.#logged = why
    return why
  }

  async #attempt(): Promise<string | null> {
    const { kernel, journal, windows, hold } = this.#deps
    const why = await kernel.ruleBackends.choose()
    if (why === null) this.#hadRules ??= await holdsRules(kernel)
    if (!this.#isPutBack) {
      const isRecovered = await recover(journal, transactionsOf(kernel, journal), why === null)
      hold(isRecovered ? null : message('root.held_back', { why: why ?? '' }))
      if (!isRecovered) return why
      await windows.resume()
      await forgetGone(kernel)
      this.#isPutBack = true
    }
    return why ?? startRules(kernel, journal, this.#hadRules ?? true)
  }

  #tryLater(whenUp: () => Promise<void>, tries: number): void {
    const pause = BESIDE_SERVING_MS[Math.min(tries, BESIDE_SERVING_MS.length - 1)]
    const again = async (): Promise<void> => {
      const why = await this.#deps.inTurn(() => this.attempt(), 'own')
      if (why !== null) return this.#tryLater(whenUp, tries + 1)
      log('info', 'The relay rules are as they were last accepted', { tries: tries + 1 })
      await whenUp()
    }
    this.#timer = setTimeout(() => void again(), pause).unref()
  }
}
