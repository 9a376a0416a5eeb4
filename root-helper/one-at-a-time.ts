// A queue of one: changes wait for each other, and a queue that is full says so instead of growing.
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
