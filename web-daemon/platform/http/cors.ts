// Lets the pages of other origins use the API, those that the operator has named and no others (decisions.md, A17).
import type { RequestHandler } from 'express'
import { Refusal } from './refusal.ts'

const METHODS = 'GET, POST, PUT, PATCH, DELETE'
const HEADERS = 'Content-Type, X-CSRF-Token, Idempotency-Key, X-Request-Id'
const EXPOSED = 'Retry-After, X-Request-Id'

/** A browser asks first (OPTIONS) what another page may do; every other request is answered in any case, and shown to that page only where it may see it. */
export const crossOrigin =
  (allowedOrigins: () => readonly string[]): RequestHandler =>
  (req, res, next) => {
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
    if (!isAllowed)
      throw new Refusal(
        'ORIGIN_NOT_ALLOWED',
        'Pages of this origin may not use the API. The operator can allow it in the setting security.allowed_origins.',
      )
    res
      .status(204)
      .set({
        'Access-Control-Allow-Methods': METHODS,
        'Access-Control-Allow-Headers': HEADERS,
        'Access-Control-Max-Age': '60',
      })
      .end()
  }
