// What the auth endpoints need beside the context that every endpoint has.
import type { SecretBox } from '../../platform/secret-box.ts'
import type { ApiTokens } from './api-tokens.ts'
import type { KnownAddresses } from './known-addresses.ts'
import type { LocalRequests } from './local-request.ts'
import type { Passwords } from './passwords.ts'
import type { Sessions } from './sessions.ts'
import type { Throttle } from './throttle.ts'
import type { Tokens } from './tokens.ts'

export interface AuthServices {
  readonly passwords: Passwords
  readonly tokens: Tokens
  readonly sessions: Sessions
  /** The requests of the command line on this host. */
  readonly localRequests: LocalRequests
  readonly apiTokens: ApiTokens
  readonly addresses: KnownAddresses
  /** Seals the secret of the second factor. */
  readonly factorBox: SecretBox
  readonly throttle: Throttle
  /** Closes setup behind the first account; throws if it is closed already. */
  readonly onFirstAccount: () => void
  /** Whether a caller without a session has shown that it can read the signing key. */
  readonly isLocal: (proof: string) => boolean
}
