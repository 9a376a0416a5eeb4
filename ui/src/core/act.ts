// Runs an action, reports it in a toast with Undo, and invalidates queries.
import { Cancelled } from './cancelled.ts'
import { invalidate } from './query.svelte.ts'
import { toasts } from './toasts.svelte.ts'

export interface ActOptions {
  /** Reverts the action. */
  readonly undo?: () => Promise<unknown>
  /** Query paths to invalidate. */
  readonly stale?: readonly string[]
  /** Title of the failure toast; `done` by default. */
  readonly failing?: string
}

/** Resolves to the answer, or to null after a reported failure. */
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
