// What the auth endpoints need beside the context that every endpoint has.
import type { Passwords } from './passwords.ts'
import type { Throttle } from './throttle.ts'
import type { Tokens } from './tokens.ts'

export interface AuthServices {
  readonly passwords: Passwords
  readonly tokens: Tokens
  readonly throttle: Throttle
  /** Whether a caller without a session has shown that it can read the signing key. */
  readonly isLocal: (proof: string) => boolean
}
