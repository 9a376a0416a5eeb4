// Makes something new: its record is there first, as Pending, so that a panel that dies meanwhile leaves what it had begun (decisions.md, S1).
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import type { Refusal } from '../platform/http/refusal.ts'
import { endedAs, type ApplyMark } from './ended.ts'

interface Carried {
  readonly outcome: Outcome
}

export interface Birth<C extends Carried, R> {
  readonly now: () => Date
  /** Stores the record, which says that it is pending. */
  readonly insert: () => Promise<void>
  readonly carryOut: () => Promise<C>
  readonly refusalOf: (outcome: Outcome) => Refusal | null
  /** Stores how it ended. */
  readonly end: (mark: ApplyMark) => Promise<R>
  /** Takes off the host again what was carried out. */
  readonly takeBack: () => Promise<C>
  readonly remove: () => Promise<void>
}

export interface Brought<C, R> {
  readonly record: R
  readonly carried: C
  /** Of what is stuck, which stays stored; null where all is as wanted. */
  readonly refusal: Refusal | null
}

/** What was put back leaves no record, nor does what was asked of a helper that went away: that one puts back what it was doing before it answers anybody. */
export async function bringIn<C extends Carried, R>(birth: Birth<C, R>): Promise<Brought<C, R>> {
  await birth.insert()
  const carried = await birth.carryOut().catch(async (thrown: unknown) => {
    await birth.remove()
    throw thrown
  })
  const refusal = birth.refusalOf(carried.outcome)
  if (refusal && carried.outcome.outcome === 'restored') {
    await birth.remove()
    throw refusal
  }
  return { record: await end(birth, carried.outcome), carried, refusal }
}

/** What cannot be stored as applied is taken off the host again, or it would be there for a record that says nothing of it. */
async function end<C extends Carried, R>(birth: Birth<C, R>, outcome: Outcome): Promise<R> {
  try {
    return await birth.end(endedAs(outcome, birth.now().toISOString()))
  } catch (failure) {
    if (outcome.outcome !== 'applied') throw failure
    const undone = birth.refusalOf((await birth.takeBack()).outcome)
    if (undone) throw undone
    await birth.remove()
    throw failure
  }
}
