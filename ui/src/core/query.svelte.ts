// Cached queries: answers are shared by path, and fetched again when invalidated.
import { untrack } from 'svelte'
import type { EndpointName } from '@panel/shared/api/endpoints.ts'
import { call, requestPath, type AnswerOf, type Arguments } from './api.ts'
import { CacheEntry } from './cache-entry.svelte.ts'

export interface QueryOptions<T> {
  /** Cache key. */
  readonly path: string
  readonly load: () => Promise<T>
  /** Milliseconds between fetches while the tab is visible. */
  readonly refetchInterval?: number
  /** False: do not fetch yet. */
  readonly enabled?: boolean
}

export interface Query<T> {
  readonly data: T | undefined
  readonly error: Error | null
  readonly refetch: () => Promise<void>
}

const cache = new Map<string, CacheEntry<unknown>>()
const MAX_ENTRIES = 200

/** For `createQuery(() => endpoint('GET /path/{id}', { id }))`. */
export const endpoint = <R extends EndpointName & `GET ${string}`>(
  route: R,
  ...args: Arguments<R>
): QueryOptions<AnswerOf<R>> => ({ path: requestPath(route, ...args), load: () => call(route, ...args) })

/** Call in a component's script. When the path changes, the previous answer stays until the next arrives. */
export const createQuery = <T>(options: () => QueryOptions<T>): Query<T> => {
  const path = $derived(options().path)
  const interval = $derived(options().refetchInterval)
  const isEnabled = $derived(options().enabled ?? true)
  const current = $derived(cacheEntry<T>(path, untrack(options).load))
  let last = $state.raw<T | undefined>(undefined)
  $effect(() => {
    if (!isEnabled) return
    const [entry, every] = [current, interval]
    return untrack(() => entry.subscribe(every))
  })
  $effect(() => {
    if (current.data !== undefined) last = current.data
  })
  return {
    get data() {
      return current.data ?? (current.error ? undefined : last)
    },
    get error() {
      return current.error
    },
    refetch: () => current.refetch(),
  }
}

/** Marks all queries under these paths stale, and refetches those in use. */
export const invalidate = async (...paths: string[]): Promise<void> => {
  await Promise.all(under(paths).map((entry) => entry.invalidate()))
}

/** The same of those that were requested longer ago. */
export const invalidateOlder = async (ms: number, ...paths: string[]): Promise<void> => {
  await Promise.all(under(paths).map((entry) => (entry.age > ms ? entry.invalidate() : undefined)))
}

const under = (paths: readonly string[]): CacheEntry<unknown>[] =>
  [...cache].flatMap(([path, entry]) =>
    paths.some((one) => path === one || path.startsWith(`${one}/`) || path.startsWith(`${one}?`)) ? [entry] : [],
  )

/** On sign-out. */
export const forgetAll = (): void => cache.clear()

const cacheEntry = <T>(path: string, load: () => Promise<T>): CacheEntry<T> => {
  const there = cache.get(path)
  if (there) return there as CacheEntry<T>
  if (cache.size >= MAX_ENTRIES) for (const [old, entry] of cache) if (!entry.isUsed) cache.delete(old)
  const made = new CacheEntry<T>(load)
  cache.set(path, made as CacheEntry<unknown>)
  return made
}
