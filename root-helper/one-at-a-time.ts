// A queue that runs one change at a time. When the queue is full, a further change is refused as busy.
import { message } from '@panel/shared/messages/message.ts'
import { RefusedError } from './refused.ts'

/** The helper's own work waits its turn like any other, and is never refused. */
export type InTurn = <T>(work: () => Promise<T>, whose?: 'own') => Promise<T>

export function oneAtATime(limit: number): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async (work, whose) => {
    if (waiting >= limit && whose !== 'own')
      throw new RefusedError('busy', message('root.changes_waiting', { count: limit }))
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
