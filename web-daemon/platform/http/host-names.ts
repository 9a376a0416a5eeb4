// Refuses requests for a host that is not this one: a page elsewhere could have its own name lead to this address, and
// the browser would then take the panel for a part of that page (DNS rebinding; reference.md, Addressing 8).
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { Request, RequestHandler } from 'express'
import { message } from '@panel/shared/messages/message.ts'
import { isSecure } from './headers.ts'
import { Refusal } from './refusal.ts'

export interface KnownHosts {
  /** Of the configuration and of this host, in lower case. */
  readonly names: ReadonlySet<string>
  readonly allowedOrigins: () => readonly string[]
  readonly isSetUp: () => Promise<boolean>
}

/** The names that this host knows itself by. */
export function ownNames(hostsFile = '/etc/hosts'): string[] {
  return [hostname(), ...namesIn(hostsFile)]
}

export function requireKnownHost({ names, allowedOrigins, isSetUp }: KnownHosts): RequestHandler {
  return async (req, _res, next) => {
    const name = requestedName(req)
    const isKnown =
      isHarmless(req, name) || names.has(name) || allowedOrigins().some((origin) => nameIn(origin) === name)
    if (isKnown || !(await isSetUp())) return next()
    throw new Refusal('HOST_NOT_ALLOWED', message('panel.host_unknown', { name: name.slice(0, 253) }), {
      details: { option: 'PANEL_HOST_NAMES' },
    })
  }
}

/**
 * Nobody can give another meaning to an address or to localhost, and over TLS the browser has compared the name with
 * the certificate. Programs without a Host are no browsers.
 */
const isHarmless = (req: Request, name: string): boolean =>
  name === '' || isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost') || isSecure(req)

/** Without port, brackets and the dot at the end. */
const requestedName = (req: Request): string => plainName(req.get('Host') ?? '')

const plainName = (host: string): string =>
  host
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')

const nameIn = (origin: string): string => plainName(origin.replace(/^https?:\/\//, ''))

const namesIn = (hostsFile: string): string[] => {
  try {
    return readFileSync(hostsFile, 'utf8')
      .split('\n')
      .flatMap((line) => line.replace(/#.*/, '').trim().split(/\s+/).slice(1))
  } catch {
    // Without the file the host has only its one name.
    return []
  }
}
