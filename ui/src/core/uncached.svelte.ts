// A query without cache: a form must not start from stale values.
import type { Query } from './query.svelte.ts'

/** Call in a component's script; fetches at once. */
export const uncached = <T>(load: () => Promise<T>): Query<T> => {
  let data = $state.raw<T | undefined>(undefined)
  let error = $state.raw<Error | null>(null)
  const refetch = async (): Promise<void> => {
    try {
      data = await load()
      error = null
    } catch (failure) {
      error = failure instanceof Error ? failure : new Error(String(failure))
    }
  }
  void refetch()
  return {
    get data() {
      return data
    },
    get error() {
      return error
    },
    refetch,
  }
}
