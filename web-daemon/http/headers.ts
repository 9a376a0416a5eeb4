// The headers that every answer under the prefix carries (interface.md, Authentication 8; decisions.md, W14, W21).
import { randomUUID } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import helmet from 'helmet'

const withHelmet = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] } },
  crossOriginOpenerPolicy: { policy: 'same-origin' },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  frameguard: { action: 'deny' },
  referrerPolicy: { policy: 'no-referrer' },
  // It has no meaning on plain http to an address, and browsers say so in their console.
  originAgentCluster: false,
  strictTransportSecurity: false,
})

/** What the page can never need of a browser. */
const PERMISSIONS_POLICY = 'camera=(), microphone=(), geolocation=(), payment=(), usb=()'
const HSTS = 'max-age=31536000'

export const securityHeaders: RequestHandler = (req, res, next) => {
  res.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache', 'Permissions-Policy': PERMISSIONS_POLICY })
  if (isSecure(req)) res.set('Strict-Transport-Security', HSTS)
  withHelmet(req, res, next)
}

/** A caller's own id is kept where it is harmless to print; otherwise the request gets one here. */
export const requestId: RequestHandler = (req, res, next) => {
  const given = req.get('X-Request-Id') ?? ''
  const id = /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID()
  res.locals['request_id'] = id
  res.set('X-Request-Id', id)
  next()
}

/** Whether the browser's own connection is encrypted: as this one is, or as a trusted proxy says (decisions.md, W22; app.ts names those). */
export const isSecure = (req: Request): boolean => req.secure

/** The address of the connection; a dual-stack socket writes IPv4 as IPv6. */
export const clientAddress = (req: Request): string => (req.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '')
