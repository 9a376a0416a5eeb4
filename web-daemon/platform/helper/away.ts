// Many answers do without the root helper: they show what is stored and leave out the rest.
import { Refusal } from '../http/refusal.ts'

export function isHelperAway(thrown: unknown): thrown is Refusal {
  return thrown instanceof Refusal && thrown.code === 'HELPER_UNAVAILABLE'
}

/** Null if the helper is away. */
export function nullIfHelperAway<T>(request: Promise<T>): Promise<T | null> {
  return request.catch((thrown: unknown) => {
    if (isHelperAway(thrown)) return null
    throw thrown
  })
}
