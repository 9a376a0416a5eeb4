// The change under way, kept in one file: what a helper that starts again finds there was cut short, and is put back.
// Each change is a line, and so is its end: the last line says whether one is under way.
import { verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { RefusedError } from '../../refused.ts'
import type { Journal } from '../../subject.ts'
import { grownParts, growingFile } from './growing-file.ts'
import { damageOf, readWritten, UnusableFile, type StateFolder } from './state-folder.ts'

export interface InterruptedChange {
  readonly noun: string
  readonly change: Change<unknown>
}

export interface JournalFile extends Journal {
  /** Null where no change was cut short. Throws where the file holds something else. */
  read(): Promise<InterruptedChange | null>
  /** Blocks all further changes: what an earlier one left half-done is not known. */
  block(why: Message): void
  /** Why no change begins; null where one can. */
  blocked(): string | null
}

const NAME = 'change-under-way.json'
const ENDED = JSON.stringify({ ended: true })
/** The change that goes beyond it takes the file with it when it ends. */
const LONGEST = 64 * 1024

export function journalIn(folder: StateFolder): JournalFile {
  const file = growingFile(folder, NAME, (length) => LONGEST - length)
  let blocked: string | null = null
  return {
    isKept: () => false,
    async begin(noun, change) {
      if (blocked !== null) throw new RefusedError('state_unusable', verbatim(blocked))
      const record = JSON.stringify({ noun, change })
      if (!(await file.append(record))) await file.write(record)
    },
    // On the disk before anybody is answered: a power cut must not bring back the record of a change that held. A file
    // that cannot be appended to, as on a full disk, can still be removed.
    async end() {
      if (!(await file.append(ENDED).catch(() => false))) await file.remove()
    },
    read: async () => readWritten(folder, NAME, parse),
    block(why) {
      blocked = damageOf('root.journal_damaged', new UnusableFile(NAME, why))
    },
    blocked: () => blocked,
  }
}

function parse(text: string): InterruptedChange | null {
  const { whole, lines } = grownParts(text)
  return parseRecord(lines.at(-1) ?? whole)
}

/** Null where it is the end of a change. */
function parseRecord(line: string): InterruptedChange | null {
  const value = JSON.parse(line) as (Partial<InterruptedChange> & { ended?: unknown }) | null
  const { noun, change, ended } = value ?? {}
  if (ended === true) return null
  if (typeof noun !== 'string' || typeof change !== 'object' || !('before' in change && 'after' in change))
    throw new Error('It holds no change')
  return { noun, change }
}
