// Changes whose end nobody saw, since the helper went away: the next look at the host finds out, whichever way it went.
import { invert, type Change } from '@panel/shared/change/change.ts'
import { storeOf } from '../platform/db/store.ts'
import type { Carrier } from './carry-out.ts'

export interface OpenEnd {
  readonly noun: string
  readonly ids: readonly number[]
  /** False where the end is still not known. */
  readonly settle: () => Promise<boolean>
}

/** The open ends of each store. A daemon that ends forgets them, and its successor finds the records pending. */
const ENDS = new WeakMap<object, Set<OpenEnd>>()

export function leaveOpen(db: object, end: OpenEnd): void {
  const store = storeOf(db)
  ENDS.set(store, (ENDS.get(store) ?? new Set()).add(end))
}

/** Another change of these records begins, so the earlier one is no longer what they wait for. */
export function closeEnds(db: object, noun: string, ids: readonly number[]): void {
  const begun = new Set(ids)
  const ends = ENDS.get(storeOf(db)) ?? new Set()
  for (const end of ends) if (end.noun === noun && end.ids.some((id) => begun.has(id))) ends.delete(end)
}

/**
 * Call it inside `inTurn`. Throws where the helper or the store does not answer; all of them are there the next time.
 */
export async function settleEnds(db: object): Promise<void> {
  const ends = ENDS.get(storeOf(db)) ?? new Set()
  for (const end of ends) if (await end.settle()) ends.delete(end)
}

/** Which state the host holds; null for neither of the two. */
export async function sideOf<S>(
  carrier: Pick<Carrier<S>, 'verify' | 'split'>,
  changes: readonly Change<S>[],
): Promise<'before' | 'after' | null> {
  const holds = async (change: Change<S> | undefined): Promise<boolean> => {
    for (const piece of change ? carrier.split(change) : []) if (!(await carrier.verify(piece)).ok) return false
    return change !== undefined
  }
  const [first] = changes
  if (await holds(changes.at(-1))) return 'after'
  return (await holds(first && invert(first))) ? 'before' : null
}
