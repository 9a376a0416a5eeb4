// A queue that runs one change at a time. When the queue is full, a further change is refused as busy.
import { message, type Message } from '@panel/shared/messages/message.ts'
import { RefusedError } from './refused.ts'

/** The helper's own work waits its turn like any other, and is never refused. */
export type InTurn = <T>(work: () => Promise<T>, whose?: 'own') => Promise<T>

/** `hold`: from now on every change but the helper's own is refused for this reason; null ends that. */
export interface Turns {
  readonly inTurn: InTurn
  readonly hold: (why: Message | null) => void
  readonly held: () => Message | null
}

export function oneAtATime(limit: number): Turns {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let held: Message | null = null
  const inTurn: InTurn = async (work, whose) => {
    if (held && whose !== 'own') throw new RefusedError('state_unusable', held)
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
  return { inTurn, hold: (why) => void (held = why), held: () => held }
}
