// Headers of every answer under the prefix (reference.md, Authentication 8; decisions.md, W14, W21).
import { randomBytes } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import helmet from 'helmet'
import { plainAddress } from '../network/client-network.ts'

const withHelmet = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
  // Only of documents: see documentHeaders.
  crossOriginOpenerPolicy: false,
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
  res.set('Cache-Control', 'no-store')
  if (isSecure(req)) res.set('Strict-Transport-Security', HSTS)
  withHelmet(req, res, next)
}

/**
 * Sets the headers of what a browser opens as a document, and of nothing else: on a first visit they would be a tenth
 * of all bytes.
 */
export function setDocumentHeaders(res: Response): void {
  res.set({ 'Cross-Origin-Opener-Policy': 'same-origin', 'Permissions-Policy': PERMISSIONS_POLICY })
}

/** Removes from scripts, styles and fonts what guards documents, and what leads to a line of the log. */
export function removeGuards(res: Response): void {
  for (const name of ['Content-Security-Policy', 'X-Frame-Options', 'Referrer-Policy', 'X-Request-Id'])
    res.removeHeader(name)
}

/** Keeps a harmless X-Request-Id of the client; otherwise generates one. */
export const requestId: RequestHandler = (req, res, next) => {
  const given = req.get('X-Request-Id') ?? ''
  const id = /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomBytes(9).toString('base64url')
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
