// What the auth endpoints work with, beside what every endpoint is handed.
import type { Passwords } from './passwords.ts'
import type { Throttle } from './throttle.ts'
import type { Tokens } from './tokens.ts'

export interface AuthServices {
  readonly passwords: Passwords
  readonly tokens: Tokens
  readonly throttle: Throttle
}
