// Takes the host to where it was when a window first touched it, noun by noun.
import { message } from '@panel/shared/messages/message.ts'
import { unfolded } from '@panel/shared/change/fold.ts'
import { log } from '../log.ts'
import { messageOf, oneLine } from '../text.ts'
import type { Undoable } from '../transaction.ts'
import { PARTS } from './parts.ts'
import type { Held } from './record.ts'

/** Why something could not be taken back, and what a person can do. */
export interface Stuck {
  readonly detail: string
  readonly remediation: readonly string[]
}

/** Null where all of it is taken back and read back. What fails keeps nothing else from being taken back. */
export async function undoAll(transactions: readonly Undoable[], { folds, window_id }: Held): Promise<Stuck | null> {
  const failed: Stuck[] = []
  for (const transaction of transactions) {
    const [fold, parts] = [folds[transaction.noun], PARTS[transaction.noun]]
    if (!fold || !parts || fold.size === 0) continue
    const stuck = await undo(transaction, unfolded(fold, parts))
    if (stuck) failed.push(stuck)
    else log('warning', 'What was not confirmed is taken back', { window_id, noun: transaction.noun })
  }
  if (failed.length === 0) return null
  return {
    detail: oneLine(failed.map(({ detail }) => detail).join('; ')),
    remediation: failed.flatMap(({ remediation }) => remediation),
  }
}

async function undo(transaction: Undoable, change: Parameters<Undoable['undo']>[0]): Promise<Stuck | null> {
  try {
    const { outcome, failure, remediation } = await transaction.undo(change, message('root.unconfirmed').message)
    return outcome === 'stuck' ? { detail: failure?.message ?? '', remediation } : null
  } catch (error) {
    return { detail: messageOf(error), remediation: [] }
  }
}
