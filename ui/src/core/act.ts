// Runs an action, reports how it went in a toast with Undo, and invalidates queries.
import { Cancelled } from './cancelled.ts'
import { invalidate } from './query.svelte.ts'
import { toasts } from './toasts.svelte.ts'

/** Titles of the toasts. An action cannot be declared without its words for a failure. */
export interface Outcomes {
  readonly done: string
  readonly failing: string
}

export interface ActOptions {
  /** Reverts the action. */
  readonly undo?: () => Promise<unknown>
  /** Query paths to invalidate. */
  readonly stale?: readonly string[]
  /** The page of the object that is changed; a success is not linked if that `isGone` by it. */
  readonly page?: string
  readonly isGone?: true
}

/** Resolves to the answer, or to null after a reported failure. */
export const act = async <T>(
  { done, failing }: Outcomes,
  work: () => Promise<T>,
  { undo, stale = [], page, isGone }: ActOptions = {},
): Promise<T | null> => {
  try {
    const answer = await work()
    toasts.success(done, undo ? () => undo().finally(() => void invalidate(...stale)) : null, isGone ? undefined : page)
    return answer
  } catch (failure) {
    if (!(failure instanceof Cancelled)) toasts.failure(failing, failure, page)
    return null
  } finally {
    void invalidate(...stale)
  }
}
