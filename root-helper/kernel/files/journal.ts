// The change under way, kept in one file: what a helper that starts again finds there was cut short, and is put back.
import { join } from 'node:path'
import type { Change } from '@panel/shared/change/change.ts'
import type { Journal } from '../../subject.ts'
import { readIfThere, removeIfThere, syncFolder, writeWhole } from './files.ts'

export interface InterruptedChange {
  readonly noun: string
  readonly change: Change<unknown>
}

export interface JournalFile extends Journal {
  /** Null where no change was cut short. */
  read(): Promise<InterruptedChange | null>
}

export function journalIn(folder: string): JournalFile {
  const path = join(folder, 'change-under-way.json')
  return {
    begin: (noun, change) => writeWhole(path, JSON.stringify({ noun, change }), 0o600),
    // On the disk before anybody is answered: a power cut must not bring back the record of a change that held.
    async end() {
      await removeIfThere(path)
      await syncFolder(folder)
    },
    async read() {
      const text = readIfThere(path)
      return text === null ? null : (JSON.parse(text) as InterruptedChange)
    },
  }
}
