// Asks the API for what a component shows: answers are kept by their paths, shared by all who show them, and asked for again when a change made them old.
import { untrack } from 'svelte'
import type { EndpointName } from '@panel/shared/api/endpoints.ts'
import { call, pathOf, type AnswerOf, type Arguments } from './api.ts'
import { Known } from './known.svelte.ts'

export interface Question<T> {
  /** What the answer is kept by. */
  readonly path: string
  readonly ask: () => Promise<T>
  /** Milliseconds after which it is asked again, while the tab is looked at. */
  readonly refetchInterval?: number
  /** False: not yet. */
  readonly enabled?: boolean
}

export interface Query<T> {
  readonly data: T | undefined
  readonly error: Error | null
  readonly refetch: () => Promise<void>
}

const known = new Map<string, Known<unknown>>()
const MOST = 200

/** For `createQuery(() => asked('GET /path/{id}', { id }))`. */
export const asked = <R extends EndpointName & `GET ${string}`>(
  route: R,
  ...args: Arguments<R>
): Question<AnswerOf<R>> => ({ path: pathOf(route, ...args), ask: () => call(route, ...args) })

/** In the script of a component. When the path changes, the answer before stays until the next has come. */
export const createQuery = <T>(question: () => Question<T>): Query<T> => {
  const path = $derived(question().path)
  const interval = $derived(question().refetchInterval)
  const isEnabled = $derived(question().enabled ?? true)
  const current = $derived(knownOf<T>(path, untrack(question).ask))
  let last = $state.raw<T | undefined>(undefined)
  $effect(() => {
    if (!isEnabled) return
    const [one, every] = [current, interval]
    return untrack(() => one.look(every))
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
    refetch: () => current.ask(),
  }
}

/** Everything that was asked under one of these paths is asked again where it is shown. */
export const outdated = async (...paths: string[]): Promise<void> => {
  const concerned = [...known].filter(([path]) =>
    paths.some((changed) => path === changed || path.startsWith(`${changed}/`) || path.startsWith(`${changed}?`)),
  )
  await Promise.all(concerned.map(([, one]) => one.outdate()))
}

/** Of one who is not signed in any more nothing is kept. */
export const forgetAll = (): void => known.clear()

const knownOf = <T>(path: string, ask: () => Promise<T>): Known<T> => {
  const there = known.get(path)
  if (there) return there as Known<T>
  if (known.size >= MOST) for (const [old, one] of known) if (!one.isLookedAt) known.delete(old)
  const made = new Known<T>(ask)
  known.set(path, made as Known<unknown>)
  return made
}
