// What a request with an API token may not have, and what the token has to have for it.
import { message } from '@panel/shared/messages/message.ts'
import { credentialsOf } from './credentials.ts'
import type { Guard } from './guards.ts'
import { Refusal } from './refusal.ts'
import { scopesOf } from './scopes.ts'

const SESSION_COOKIES = ['panel_access', 'panel_refresh', 'panel_csrf']

/**
 * Refuses two credentials. A browser adds cookies by itself and never this header, so a client that sends both is
 * confused about its identity.
 */
export const oneCredential: Guard = async (request) => {
  if (!credentialsOf(request) || !SESSION_COOKIES.some((name) => Object.hasOwn(request.cookies, name))) return
  throw new Refusal('INVALID_REQUEST', message('panel.two_credentials'))
}

/** Checks the scopes of a token; a session may do everything. */
export const scopeCheck: Guard = async ({ endpoint, session }) => {
  if (!session?.scopes || (endpoint.guards?.session === false && endpoint.tag !== 'auth')) return
  const enough = scopesOf(endpoint)
  if (enough.some((scope) => session.scopes?.includes(scope))) return
  if (enough.length === 0)
    throw new Refusal('SCOPE_MISSING', message('panel.no_token_here'), { details: { scopes: [] } })
  throw new Refusal('SCOPE_MISSING', message('panel.scope_missing', { scopes: enough.join(', ') }), {
    details: { scopes: enough },
  })
}
