// What the page knows of the API's answers, each kept under its path; a change says which paths it made old.
import { QueryClient } from '@tanstack/svelte-query'
import { get } from './api.ts'
import { Refused } from './refused.ts'

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      refetchOnWindowFocus: true,
      // Only silence is worth asking again after; a refusal stays one.
      retry: (count, failure) => failure instanceof Refused && failure.code === 'NO_ANSWER' && count < 2,
    },
  },
})

/** For `createQuery(() => asked<Answer>('/path'))`. */
export const asked = <T>(path: string) => ({ queryKey: path.split(/[/?]/).filter((part) => part !== ''), queryFn: () => get<T>(path) })

/** Everything that was asked under one of these paths is asked again where it is shown. */
export const outdated = (...paths: string[]): Promise<void> =>
  Promise.all(paths.map((path) => queries.invalidateQueries({ queryKey: path.split('/').filter((part) => part !== '') }))).then(() => undefined)
