// Lets pages of other origins use the API, if the operator has allowed them (decisions.md, A17).
import type { RequestHandler } from 'express'
import { message } from '@panel/shared/messages/message.ts'
import { Refusal } from './refusal.ts'

const METHODS = 'GET, POST, PUT, PATCH, DELETE'
const HEADERS = 'Content-Type, X-CSRF-Token, Idempotency-Key, If-Match, X-Request-Id'
const EXPOSED = 'Retry-After, X-Request-Id'

/**
 * A preflight (OPTIONS) is answered here. Every other request is served, but the browser shows the answer to an allowed
 * page only.
 */
export function crossOrigin(allowedOrigins: () => readonly string[]): RequestHandler {
  return (req, res, next) => {
    const origin = req.get('Origin')
    if (origin === undefined || !req.path.startsWith('/api/')) return next()
    const isAllowed = allowedOrigins().includes(origin)
    const isAsking = req.method === 'OPTIONS' && req.get('Access-Control-Request-Method') !== undefined
    res.vary('Origin')
    if (isAllowed)
      res.set({
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Credentials': 'true',
        'Access-Control-Expose-Headers': EXPOSED,
      })
    if (!isAsking) return next()
    if (!isAllowed) throw new Refusal('ORIGIN_NOT_ALLOWED', message('panel.origin_forbidden'))
    res
      .status(204)
      .set({
        'Access-Control-Allow-Methods': METHODS,
        'Access-Control-Allow-Headers': HEADERS,
        'Access-Control-Max-Age': '60',
      })
      .end()
  }
}
