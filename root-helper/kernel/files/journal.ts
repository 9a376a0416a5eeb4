// The change under way, kept in one file: what a helper that starts again finds there was cut short, and is put back.
import { message, verbatim } from '@panel/shared/messages/message.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { RefusedError } from '../../refused.ts'
import type { Journal } from '../../subject.ts'
import { readWritten, setAside, unlikeOurs, type StateFolder } from './state-folder.ts'

export interface InterruptedChange {
  readonly noun: string
  readonly change: Change<unknown>
}

export interface JournalFile extends Journal {
  /** Null where no change was cut short. Throws where the file holds something else. */
  read(): Promise<InterruptedChange | null>
  /** From now on no change begins: what an earlier one left half-done is not known. */
  block(why: string): void
  /** Why no change begins; null where one can. */
  blocked(): string | null
}

const NAME = 'change-under-way.json'

export function journalIn(folder: StateFolder): JournalFile {
  let blocked: string | null = null
  return {
    isKept: () => false,
    async begin(noun, change) {
      if (blocked !== null) throw new RefusedError('state_unusable', verbatim(blocked))
      await folder.write(NAME, JSON.stringify({ noun, change }))
    },
    // On the disk before anybody is answered: a power cut must not bring back the record of a change that held.
    end: () => folder.remove(NAME),
    read: async () => readWritten(folder.read(NAME), parse),
    block(why) {
      blocked = message('root.journal_damaged', { file: NAME, why, remedy: setAside(NAME) }).message
    },
    blocked: () => blocked,
  }
}

function parse(text: string): InterruptedChange {
  const value = JSON.parse(text) as Partial<InterruptedChange> | null
  const { noun, change } = value ?? {}
  if (typeof noun !== 'string' || typeof change !== 'object' || !('before' in change && 'after' in change))
    throw unlikeOurs()
  return { noun, change }
}
