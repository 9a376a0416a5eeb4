// Many answers do without the root helper: they show what is stored and leave out the rest.
import { Refusal } from '../http/refusal.ts'

export const isAway = (thrown: unknown): thrown is Refusal =>
  thrown instanceof Refusal && thrown.code === 'HELPER_UNAVAILABLE'

/** Null if the helper is away. */
export const unlessAway = <T>(asking: Promise<T>): Promise<T | null> =>
  asking.catch((thrown: unknown) => {
    if (isAway(thrown)) return null
    throw thrown
  })
