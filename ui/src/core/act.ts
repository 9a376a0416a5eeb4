// Does something and says how it went: a toast with Undo where there is one, or the failure; and what is shown is brought up to date.
import { Withdrawn } from './withdrawn.ts'
import { outdated } from './query.svelte.ts'
import { toasts } from './toasts.svelte.ts'

export interface Acting {
  /** Puts it back. */
  readonly undo?: () => Promise<unknown>
  /** Paths whose answers are old now. */
  readonly outdates?: readonly string[]
  /** Said before the API's own sentence when it fails; else `done` is. */
  readonly failing?: string
}

/** Resolves to the answer, or to null where it failed, which has then been said. */
export const act = async <T>(
  done: string,
  work: () => Promise<T>,
  { undo, outdates = [], failing = done }: Acting = {},
): Promise<T | null> => {
  try {
    const answer = await work()
    toasts.success(done, undo ? () => undo().finally(() => void outdated(...outdates)) : null)
    return answer
  } catch (failure) {
    if (!(failure instanceof Withdrawn)) toasts.failure(failing, failure)
    return null
  } finally {
    void outdated(...outdates)
  }
}
