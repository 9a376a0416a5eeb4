// Asks the API for what a component shows: answers are kept by their paths, shared by all who show them, and asked for again when a change made them old.
import { untrack } from 'svelte'
import { get } from './api.ts'
import { Known } from './known.svelte.ts'

export interface Question<T> {
  readonly path: string
  /** In the place of a GET of the path, as for a preview; the path is then only what the answer is kept by. */
  readonly ask?: () => Promise<T>
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

/** For `createQuery(() => asked<Answer>('/path'))`. */
export const asked = <T>(path: string): Question<T> => ({ path })

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

const knownOf = <T>(path: string, ask = () => get<T>(path)): Known<T> => {
  const there = known.get(path)
  if (there) return there as Known<T>
  if (known.size >= MOST) for (const [old, one] of known) if (!one.isLookedAt) known.delete(old)
  const made = new Known<T>(ask)
  known.set(path, made as Known<unknown>)
  return made
}
