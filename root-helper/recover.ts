// Puts the host back to where it was before a change that an earlier helper was stopped in.
import { fromRoot, message, type Message } from '@panel/shared/messages/message.ts'
import type { JournalFile } from './kernel/files/journal.ts'
import { UnusableFile } from './kernel/files/state-folder.ts'
import { KernelError } from './kernel-error.ts'
import { log } from './log.ts'
import { RefusedError } from './refused.ts'
import { messageOf, oneLine } from './text.ts'
import type { Undoable } from './transaction.ts'

/** Changes that are put back by the backend of relay rules. */
const OF_RULES = ['ruleset', 'rule_backend']

/** A way back that fails once may work a moment later. */
const TRIES = 3

/**
 * No change begins before this is done. Returns false if the change concerns relay rules and these cannot be read,
 * which `hasRules` says: then it is to be called again. Where the journal cannot be understood the helper serves what
 * can be read, and begins no change.
 */
export async function recover(
  journal: JournalFile,
  transactions: readonly Undoable[],
  hasRules = true,
): Promise<boolean> {
  try {
    return await putBack(journal, transactions, hasRules)
  } catch (error) {
    const detail = oneLine(messageOf(error))
    // The host is put back, and only the journal cannot be removed; no change begins while it cannot be written either.
    const isPutBack = error instanceof RefusedError && error.code === 'state_unusable'
    if (!isPutBack) journal.block(reasonOf(error))
    log('error', journal.blocked() ?? 'The journal of a change that is put back cannot be removed', { detail })
    return true
  }
}

async function putBack(journal: JournalFile, transactions: readonly Undoable[], hasRules: boolean): Promise<boolean> {
  const interrupted = await journal.read()
  if (!interrupted) return true
  const { noun, change } = interrupted
  const transaction = transactions.find((one) => one.noun === noun)
  if (!transaction) throw new Error('No such noun')
  if (!hasRules && OF_RULES.includes(noun)) return false
  for (let left = TRIES; ; left -= 1) {
    const { outcome, failure, steps } = await transaction.undo(change, message('root.interrupted').message)
    const isRestored = outcome === 'restored'
    const ending = isRestored ? 'put back' : 'stuck'
    log(isRestored ? 'warning' : 'error', `A change was cut short, and is ${ending}`, { noun, steps, failure })
    if (isRestored || left === 1) return true
  }
}

/** Whatever else fails does so over what the journal holds. */
function reasonOf(error: unknown): Message {
  if (error instanceof UnusableFile) return error.why
  if (error instanceof RefusedError || error instanceof KernelError) return fromRoot(oneLine(error.message))
  return message('root.file_unlike')
}
