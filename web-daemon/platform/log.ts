// The web daemon's log: JSON lines on stderr, with secrets removed.
import pino, { type DestinationStream, type Logger } from 'pino'

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

export function makeLogger(destination: DestinationStream = pino.destination(2)): Logger {
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
