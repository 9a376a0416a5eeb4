// The checks before an endpoint, in this order: set-up, CSRF, session (interface.md, Authentication 4; decisions.md,
// T1, T9).
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Endpoint, Session } from './endpoint.ts'
import { Refusal } from './refusal.ts'

/** What guards can read; the session guard sets `session`. */
export interface GuardedRequest {
  readonly endpoint: Endpoint
  readonly method: string
  readonly header: (name: string) => string
  readonly cookies: Readonly<Record<string, string>>
  session: Session | null
}

export type Guard = (request: GuardedRequest) => Promise<void>

export function setupGate(hasAccount: () => Promise<boolean>): Guard {
  return async ({ endpoint }) => {
    if (endpoint.guards?.setup === false || (await hasAccount())) return
    throw new Refusal('SETUP_REQUIRED', 'The panel has no operator account yet. Create it first.')
  }
}

/** Double-submit cookie. Endpoints without a session are protected by the request's origin instead. */
export function csrfCheck(allowedOrigins: () => readonly string[]): Guard {
  return async ({ endpoint, method, header, cookies }) => {
    if (method === 'GET' || method === 'HEAD') return
    if (endpoint.guards?.csrf === false) refuseOtherSites(header, allowedOrigins())
    else if (!sameToken(header('X-CSRF-Token'), cookies['panel_csrf'] ?? '')) {
      throw new Refusal(
        'CSRF_TOKEN_INVALID',
        'The X-CSRF-Token header is missing or is not the value of the panel_csrf cookie',
      )
    }
  }
}

/** A command that needs no session still reads it, so that the audit log can name who signs out. */
export function sessionCheck(sessionOf: (cookies: GuardedRequest['cookies']) => Promise<Session | null>): Guard {
  return async (request) => {
    if (request.endpoint.guards?.session === false && request.endpoint.kind !== 'command') return
    request.session = await sessionOf(request.cookies)
    if (request.session || request.endpoint.guards?.session === false) return
    throw new Refusal('UNAUTHENTICATED', 'Sign in first: there is no session, or it has ended')
  }
}

/** Compares digests of equal length in constant time, so that timing reveals neither length nor content. */
const sameToken = (given: string, expected: string): boolean =>
  expected !== '' && timingSafeEqual(digest(given), digest(expected))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const refuseOtherSites = (header: GuardedRequest['header'], allowed: readonly string[]): void => {
  const site = header('Sec-Fetch-Site')
  if (site === 'same-origin' || site === 'none') return
  const origin = header('Origin')
  if (allowed.includes(origin)) return
  if (site !== 'cross-site' && (origin === '' || hostOf(origin) === header('Host').toLowerCase())) return
  throw new Refusal('ORIGIN_NOT_ALLOWED', 'This request comes from a page of another site')
}

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null)
