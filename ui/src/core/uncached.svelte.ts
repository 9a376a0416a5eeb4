// An answer that is asked for anew each time: a form that began from an older one would put back what others changed since.
import type { Query } from './query.svelte.ts'

/** In the script of a component; asked at once. */
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
