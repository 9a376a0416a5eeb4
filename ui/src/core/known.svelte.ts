// What the page knows of one GET of the API: its last answer, how the last try failed, and when it is worth asking again.
import { Refused } from './refused.ts'

const FRESH_MS = 5000
const RETRY_MS = 1500
const RETRIES = 2

export class Known<T> {
  data = $state.raw<T | undefined>(undefined)
  error = $state.raw<Error | null>(null)
  readonly #ask: () => Promise<T>
  #lookers = 0
  #askedAt = 0
  #isOld = true
  #underWay: Promise<void> | null = null

  constructor(ask: () => Promise<T>) {
    this.#ask = ask
  }

  get isLookedAt(): boolean {
    return this.#lookers > 0
  }

  /** For as long as somebody looks; what is answered lets go. */
  look(everyMs: number | undefined): () => void {
    this.#lookers += 1
    this.#askIfOld()
    const timer = everyMs === undefined ? undefined : setInterval(() => !document.hidden && void this.ask(), everyMs)
    const shown = (): void => {
      if (!document.hidden) this.#askIfOld()
    }
    document.addEventListener('visibilitychange', shown)
    return () => {
      this.#lookers -= 1
      clearInterval(timer)
      document.removeEventListener('visibilitychange', shown)
    }
  }

  /** Those who ask together share one answer. Never rejects: how it failed is in `error`. */
  readonly ask = (): Promise<void> => {
    this.#underWay ??= this.#tried(RETRIES).finally(() => {
      this.#underWay = null
      // Something changed while the answer was on its way.
      if (this.#isOld && this.isLookedAt && this.error === null) void this.ask()
    })
    return this.#underWay
  }

  async outdate(): Promise<void> {
    this.#isOld = true
    if (this.isLookedAt && !this.#underWay) await this.ask()
  }

  #askIfOld(): void {
    if (this.#isOld || Date.now() - this.#askedAt > FRESH_MS) void this.ask()
  }

  /** Only silence is worth a second try; a refusal stays one. */
  async #tried(retries: number): Promise<void> {
    this.#isOld = false
    this.#askedAt = Date.now()
    try {
      this.data = await this.#ask()
      this.error = null
    } catch (failure) {
      this.error = failure instanceof Error ? failure : new Error(String(failure))
      this.#isOld = true
      if (retries === 0 || !this.isLookedAt || !(failure instanceof Refused) || failure.code !== 'NO_ANSWER') return
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      return this.#tried(retries - 1)
    }
  }
}
