// An impact does without what root cannot answer, and says that it is not known.
import { Refusal } from '../../platform/http/refusal.ts'

/** Null where root is away, busy, or cannot read it. */
export function nullIfUnreadable<T>(request: Promise<T>): Promise<T | null> {
  return request.catch((thrown: unknown) => {
    if (thrown instanceof Refusal) return null
    throw thrown
  })
}
