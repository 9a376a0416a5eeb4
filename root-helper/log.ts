// Root's log: JSON lines on stderr, which journald keeps. A client could fill it, or have journald drop lines, and hide
// what was done: each message is limited to so many a minute, and the rest is counted.
import { journalPrefix } from '@panel/shared/syslog.ts'

type Level = 'info' | 'warning' | 'error'

export const LINES_PER_MINUTE = 60
const MINUTE_MS = 60_000

/** The number of lines that were left out in the current minute, by message. */
const minutes = new Map<string, { lines: number; left_out: number }>()

export function log(level: Level, message: string, more: Record<string, unknown> = {}): void {
  const minute = minutes.get(message) ?? begin(level, message)
  minute.lines += 1
  if (minute.lines <= LINES_PER_MINUTE) logAlways(level, message, more)
  else minute.left_out += 1
}

let isJournalRead = false

/** Puts the priority before each line that follows. */
export const logToJournal = (): void => void (isJournalRead = true)

/** For what must never be missing. */
export function logAlways(level: Level, message: string, more: Record<string, unknown> = {}): void {
  const prefix = isJournalRead ? journalPrefix(level) : ''
  process.stderr.write(`${prefix}${JSON.stringify({ at: new Date().toISOString(), level, message, ...more })}\n`)
}

function begin(level: Level, message: string): { lines: number; left_out: number } {
  const minute = { lines: 0, left_out: 0 }
  minutes.set(message, minute)
  setTimeout(() => {
    minutes.delete(message)
    if (minute.left_out > 0) logAlways(level, message, { left_out: minute.left_out })
  }, MINUTE_MS).unref()
  return minute
}
