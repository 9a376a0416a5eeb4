// The web daemon's log: JSON lines on stderr, with secrets removed.
import { fstatSync } from 'node:fs'
import pino, { type DestinationStream, type Logger } from 'pino'
import { isOfJournal, journalPrefix, type LogLevel } from '@panel/shared/syslog.ts'

/** The names under which secrets come and go, as fields and as headers. */
const SECRETS = [
  'password',
  'current_password',
  'new_password',
  'password_hash',
  'token',
  'csrf_token',
  'x-csrf-token',
  'secret',
  'recovery_codes',
  'cookie',
  'cookies',
  'authorization',
  'set-cookie',
]

/** Pino writes the level first, as a number: 50 is an error. */
export function levelOf(line: string): LogLevel {
  const level = Number(/^\{"level":(\d+)/.exec(line)?.[1])
  if (level >= 50) return 'error'
  return level >= 40 ? 'warning' : level >= 30 ? 'info' : 'debug'
}

/** Puts the priority before each line if the journal reads them. */
export function ownLog(stream = process.env['JOURNAL_STREAM']): DestinationStream {
  const stderr = pino.destination(2)
  if (!isOfJournal(stream, fstatSync(process.stderr.fd))) return stderr
  return { write: (line) => void stderr.write(`${journalPrefix(levelOf(line))}${line}`) }
}

export function makeLogger(destination: DestinationStream = ownLog()): Logger {
  return pino(
    {
      redact: {
        paths: SECRETS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
        censor: '[redacted]',
      },
    },
    destination,
  )
}
