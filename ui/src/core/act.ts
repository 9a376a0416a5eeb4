// Does something and says how it went: a toast with Undo where there is one, or the failure; and what is shown is brought up to date.
import { Cancelled } from './cancelled.ts'
import { invalidate } from './query.svelte.ts'
import { toasts } from './toasts.svelte.ts'

export interface ActOptions {
  /** Puts it back. */
  readonly undo?: () => Promise<unknown>
  /** Paths whose answers are old now. */
  readonly stale?: readonly string[]
  /** Said before the API's own sentence when it fails; else `done` is. */
  readonly failing?: string
}

/** Resolves to the answer, or to null where it failed, which has then been said. */
export const act = async <T>(
  done: string,
  work: () => Promise<T>,
  { undo, stale = [], failing = done }: ActOptions = {},
): Promise<T | null> => {
  try {
    const answer = await work()
    toasts.success(done, undo ? () => undo().finally(() => void invalidate(...stale)) : null)
    return answer
  } catch (failure) {
    if (!(failure instanceof Cancelled)) toasts.failure(failing, failure)
    return null
  } finally {
    void invalidate(...stale)
  }
}
