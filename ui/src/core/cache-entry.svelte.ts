// A cached GET: its last answer, its last error and its age.
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

  /** Milliseconds since it was last requested. */
  get age(): number {
    return Date.now() - this.#fetchedAt
  }

  /** Returns the function that unsubscribes. */
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

  /** Concurrent callers share one request. Never rejects: see `error`. */
  readonly refetch = (): Promise<void> => {
    this.#pending ??= this.#attempt(RETRIES).finally(() => {
      this.#pending = null
      // Invalidated while the request was in flight.
      if (this.#isStale && this.isUsed && this.error === null) void this.refetch()
    })
    return this.#pending
  }

  async invalidate(): Promise<void> {
    this.#isStale = true
    if (this.isUsed && !this.#pending) await this.refetch()
  }

  #fetchIfStale(): void {
    if (this.#isStale || this.age > FRESH_MS) void this.refetch()
  }

  /** Retries only a missing answer, not an error answer. */
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
