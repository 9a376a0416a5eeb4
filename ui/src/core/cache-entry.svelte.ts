// What the page knows of one GET of the API: its last answer, how the last try failed, and when it is worth asking again.
import { ApiError } from './api-error.ts'

const FRESH_MS = 5000
const RETRY_MS = 1500
const RETRIES = 2

export class CacheEntry<T> {
  data = $state.raw<T | undefined>(undefined)
  error = $state.raw<Error | null>(null)
  readonly #load: () => Promise<T>
  #users = 0
  #fetchedAt = 0
  #isStale = true
  #pending: Promise<void> | null = null

  constructor(load: () => Promise<T>) {
    this.#load = load
  }

  get isUsed(): boolean {
    return this.#users > 0
  }

  /** For as long as somebody looks; what is answered lets go. */
  subscribe(everyMs: number | undefined): () => void {
    this.#users += 1
    this.#fetchIfStale()
    const timer =
      everyMs === undefined ? undefined : setInterval(() => !document.hidden && void this.refetch(), everyMs)
    const shown = (): void => {
      if (!document.hidden) this.#fetchIfStale()
    }
    document.addEventListener('visibilitychange', shown)
    return () => {
      this.#users -= 1
      clearInterval(timer)
      document.removeEventListener('visibilitychange', shown)
    }
  }

  /** Those who ask together share one answer. Never rejects: how it failed is in `error`. */
  readonly refetch = (): Promise<void> => {
    this.#pending ??= this.#attempt(RETRIES).finally(() => {
      this.#pending = null
      // Something changed while the answer was on its way.
      if (this.#isStale && this.isUsed && this.error === null) void this.refetch()
    })
    return this.#pending
  }

  async invalidate(): Promise<void> {
    this.#isStale = true
    if (this.isUsed && !this.#pending) await this.refetch()
  }

  #fetchIfStale(): void {
    if (this.#isStale || Date.now() - this.#fetchedAt > FRESH_MS) void this.refetch()
  }

  /** Only silence is worth a second try; a refusal stays one. */
  async #attempt(retries: number): Promise<void> {
    this.#isStale = false
    this.#fetchedAt = Date.now()
    try {
      this.data = await this.#load()
      this.error = null
    } catch (failure) {
      this.error = failure instanceof Error ? failure : new Error(String(failure))
      this.#isStale = true
      if (retries === 0 || !this.isUsed || !(failure instanceof ApiError) || failure.code !== 'NO_ANSWER') return
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      return this.#attempt(retries - 1)
    }
  }
}
