// A queue that runs one change at a time. When the queue is full, a further change is refused as busy.
import { RefusedError } from './refused.ts'

export function oneAtATime(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async (work) => {
    if (waiting >= limit) throw new RefusedError('busy', `${limit} changes are waiting already`)
    waiting += 1
    const turn = last.then(work, work)
    last = turn.catch(() => undefined)
    try {
      return await turn
    } finally {
      waiting -= 1
    }
  }
}
