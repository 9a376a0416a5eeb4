// Puts the host back to where it was before a change that an earlier helper was stopped in.
import type { JournalFile } from './kernel/files/journal.ts'
import { log } from './log.ts'
import { RefusedError } from './refused.ts'
import type { Undoable } from './transaction.ts'

/**
 * Nothing is served before this is done. Throws a RefusedError where the journal speaks of a noun that this helper does
 * not know.
 */
export async function recover(journal: JournalFile, transactions: readonly Undoable[]): Promise<void> {
  const interrupted = await journal.read()
  if (!interrupted) return
  const transaction = transactions.find(({ noun }) => noun === interrupted.noun)
  if (!transaction)
    throw new RefusedError('malformed', `The journal speaks of ${interrupted.noun}, which this helper does not know`)
  const { outcome, failure, steps } = await transaction.undo(
    interrupted.change,
    'The helper was stopped in the middle of it',
  )
  log(
    outcome === 'restored' ? 'warning' : 'error',
    `A change was cut short, and is ${outcome === 'restored' ? 'put back' : 'stuck'}`,
    { noun: interrupted.noun, steps, failure },
  )
}
