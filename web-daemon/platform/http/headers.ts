// Headers of every answer under the prefix (reference.md, Authentication 8; decisions.md, W14, W21).
import { randomUUID } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import helmet from 'helmet'
import { plainAddress } from '../network/client-network.ts'

const withHelmet = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
  crossOriginOpenerPolicy: { policy: 'same-origin' },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  frameguard: { action: 'deny' },
  referrerPolicy: { policy: 'no-referrer' },
  // It has no effect on plain HTTP to an address, and browsers log a warning.
  originAgentCluster: false,
  strictTransportSecurity: false,
  // Of browsers and plug-ins that are gone. On a first visit their bytes are those of an answer or two.
  dnsPrefetchControl: false,
  ieNoOpen: false,
  permittedCrossDomainPolicies: false,
  xssFilter: false,
})

/** Browser features that the page never needs. */
const PERMISSIONS_POLICY = 'camera=(), microphone=(), geolocation=(), payment=(), usb=()'
const HSTS = 'max-age=31536000'

export const securityHeaders: RequestHandler = (req, res, next) => {
  res.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache', 'Permissions-Policy': PERMISSIONS_POLICY })
  if (isSecure(req)) res.set('Strict-Transport-Security', HSTS)
  withHelmet(req, res, next)
}

/** Headers that only matter for documents, that forbid caching, or that lead to a line of the log. */
const OF_DOCUMENTS = [
  'Content-Security-Policy',
  'Cross-Origin-Opener-Policy',
  'Permissions-Policy',
  'Pragma',
  'X-Frame-Options',
  'X-Request-Id',
]

/**
 * For scripts, styles and fonts, which are never opened as a document: on a first visit these headers would be a tenth
 * of all bytes.
 */
export function removeDocumentHeaders(res: Response): void {
  OF_DOCUMENTS.forEach((name) => res.removeHeader(name))
}

/** Keeps a harmless X-Request-Id of the client; otherwise generates one. */
export const requestId: RequestHandler = (req, res, next) => {
  const given = req.get('X-Request-Id') ?? ''
  const id = /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID()
  res.locals['request_id'] = id
  res.set('X-Request-Id', id)
  next()
}

/**
 * Whether the browser's own connection is encrypted: this one is, or a trusted proxy says so (decisions.md, W22; app.ts
 * sets them).
 */
export function isSecure(req: Request): boolean {
  return req.secure
}

/** The address of the connection. */
export function clientAddress(req: Request): string {
  return plainAddress(req.socket.remoteAddress ?? '')
}
