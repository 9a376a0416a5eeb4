// Many answers do without the root helper: they show what is stored and leave out the rest.
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { Refusal } from '../http/refusal.ts'

export function isHelperAway(thrown: unknown): thrown is Refusal {
  return thrown instanceof Refusal && thrown.code === 'HELPER_UNAVAILABLE'
}

/** Sends nothing more once a request was not answered: a helper that hangs is waited for once. */
export function untilAway(request: Reader): Reader {
  let away: Refusal | null = null
  const send = request as (...sent: Parameters<Reader>) => Promise<unknown>
  return (async (...sent: Parameters<Reader>) => {
    if (away) throw away
    return send(...sent).catch((failure: unknown) => {
      if (isHelperAway(failure)) away = failure
      throw failure
    })
  }) as Reader
}

/** Null if the helper is away. */
export function nullIfHelperAway<T>(request: Promise<T>): Promise<T | null> {
  return request.catch((thrown: unknown) => {
    if (isHelperAway(thrown)) return null
    throw thrown
  })
}
