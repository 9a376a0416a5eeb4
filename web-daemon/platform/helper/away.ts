// Many answers do without the root helper: they show what is stored and leave out the rest.
import { Refusal } from '../http/refusal.ts'

export const isHelperAway = (thrown: unknown): thrown is Refusal =>
  thrown instanceof Refusal && thrown.code === 'HELPER_UNAVAILABLE'

/** Null if the helper is away. */
export const nullIfHelperAway = <T>(request: Promise<T>): Promise<T | null> =>
  request.catch((thrown: unknown) => {
    if (isHelperAway(thrown)) return null
    throw thrown
  })
