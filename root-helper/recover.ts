// Puts the host back to where it was before a change that an earlier helper was stopped in.
import { fromRoot, message, type Message } from '@panel/shared/messages/message.ts'
import type { JournalFile } from './kernel/files/journal.ts'
import { UnusableFile } from './kernel/files/state-folder.ts'
import { KernelError } from './kernel-error.ts'
import { log } from './log.ts'
import { RefusedError } from './refused.ts'
import { messageOf, oneLine } from './text.ts'
import type { Undoable } from './transaction.ts'

/**
 * Nothing is served before this is done. Where the journal cannot be understood the helper serves what can be read, and
 * begins no change.
 */
export async function recover(journal: JournalFile, transactions: readonly Undoable[]): Promise<void> {
  try {
    await putBack(journal, transactions)
  } catch (error) {
    const detail = oneLine(messageOf(error))
    // The host is put back, and only the journal cannot be removed; no change begins while it cannot be written either.
    const isPutBack = error instanceof RefusedError && error.code === 'state_unusable'
    if (!isPutBack) journal.block(reasonOf(error))
    log('error', journal.blocked() ?? 'The journal of a change that is put back cannot be removed', { detail })
  }
}

async function putBack(journal: JournalFile, transactions: readonly Undoable[]): Promise<void> {
  const interrupted = await journal.read()
  if (!interrupted) return
  const transaction = transactions.find(({ noun }) => noun === interrupted.noun)
  if (!transaction) throw new Error('No such noun')
  const { outcome, failure, steps } = await transaction.undo(interrupted.change, message('root.interrupted').message)
  log(
    outcome === 'restored' ? 'warning' : 'error',
    `A change was cut short, and is ${outcome === 'restored' ? 'put back' : 'stuck'}`,
    { noun: interrupted.noun, steps, failure },
  )
}

/** Whatever else fails does so over what the journal holds. */
function reasonOf(error: unknown): Message {
  if (error instanceof UnusableFile) return error.why
  if (error instanceof RefusedError || error instanceof KernelError) return fromRoot(oneLine(error.message))
  return message('root.file_unlike')
}
