// The checks before an endpoint, in this order: set-up, CSRF, session, scope (reference.md, Authentication 4;
// decisions.md, T1, T9).
import { createHash, timingSafeEqual } from 'node:crypto'
import { message } from '@panel/shared/messages/message.ts'
import type { Endpoint, Session } from './endpoint.ts'
import { credentialsOf } from './credentials.ts'
import { Refusal } from './refusal.ts'

/** What guards can read; they set `session`. */
export interface GuardedRequest {
  readonly endpoint: Endpoint
  readonly method: string
  /** The requested target, with the query. */
  readonly target: string
  readonly header: (name: string) => string
  readonly cookies: Readonly<Record<string, string>>
  readonly client_ip: string
  session: Session | null
}

export type Guard = (request: GuardedRequest) => Promise<void>

export function setupGate(hasAccount: () => Promise<boolean>): Guard {
  return async ({ endpoint }) => {
    if (endpoint.guards?.setup === false || (await hasAccount())) return
    throw new Refusal('SETUP_REQUIRED', message('panel.setup_required'))
  }
}

type SessionOf = (request: GuardedRequest) => Promise<Session | null>

/**
 * Double-submit cookie. A browser never adds the header Authorization by itself, so a request with a token needs none.
 * Endpoints without a session are protected by the request's origin instead. What is refused in a session is still
 * recorded as its operator's.
 */
export function csrfCheck(allowedOrigins: () => readonly string[], sessionOf: SessionOf): Guard {
  return async (request) => {
    const { endpoint, method, header, cookies } = request
    if (method === 'GET' || method === 'HEAD' || credentialsOf(request)) return
    if (endpoint.guards?.csrf === false) refuseOtherSites(header, allowedOrigins())
    else if (!sameToken(header('X-CSRF-Token'), cookies['panel_csrf'] ?? '')) {
      request.session = await sessionOf(request)
      throw new Refusal('CSRF_TOKEN_INVALID', message('panel.csrf'))
    }
  }
}

/**
 * An endpoint that needs no session still reads it: the audit log names who signs out, and health tells its operator
 * more. Without a store it answers as if there were none, and itself says what is wrong with the store.
 */
export function sessionCheck(sessionOf: SessionOf): Guard {
  return async (request) => {
    const isOpen = request.endpoint.guards?.session === false
    request.session = await sessionOf(request).catch((failure: unknown) => {
      if (isOpen && !credentialsOf(request)) return null
      throw failure
    })
    if (request.session || isOpen) return
    throw new Refusal('UNAUTHENTICATED', message('panel.sign_in'))
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
  if (site !== 'cross-site' && (origin === '' || originHost(origin) === header('Host').toLowerCase())) return
  throw new Refusal('ORIGIN_NOT_ALLOWED', message('panel.other_site'))
}

const originHost = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null)
