// A helper that is away is the one failure that much of the panel goes on without: what is stored is told all the same.
import { Refusal } from '../http/refusal.ts'

export const isAway = (thrown: unknown): thrown is Refusal =>
  thrown instanceof Refusal && thrown.code === 'HELPER_UNAVAILABLE'

/** Null where the helper is away. */
export const unlessAway = <T>(asking: Promise<T>): Promise<T | null> =>
  asking.catch((thrown: unknown) => {
    if (isAway(thrown)) return null
    throw thrown
  })
