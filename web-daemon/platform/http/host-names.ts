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
  /** The names of the configuration and of this host, in lower case. */
  readonly names: ReadonlySet<string>
  readonly allowedOrigins: () => readonly string[]
}

/** The names that this host knows itself by. */
export function ownNames(hostsFile = '/etc/hosts'): string[] {
  return [hostname(), ...namesIn(hostsFile)]
}

/** Checks from the first start, because a page elsewhere could otherwise create the account. */
export function requireKnownHost({ names, allowedOrigins }: KnownHosts): RequestHandler {
  const isKnown = (name: string): boolean =>
    isHarmless(name) || names.has(name) || allowedOrigins().some((origin) => nameIn(origin) === name)
  return (req, _res, next) => {
    if (headersNamed(req, 'host') > 1) throw new Refusal('INVALID_REQUEST', message('panel.two_hosts'))
    const unknown = isSecure(req) ? undefined : requestedNames(req).find((name) => !isKnown(name))
    if (unknown === undefined) return next()
    throw new Refusal('HOST_NOT_ALLOWED', message('panel.host_unknown', { name: unknown.slice(0, 253) }), {
      details: { option: 'PANEL_HOST_NAMES' },
    })
  }
}

/** An address or localhost cannot lead elsewhere, and a program that sends no Host is no browser. */
const isHarmless = (name: string): boolean =>
  name === '' || isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost')

/** Node.js keeps the first of several and drops the rest. */
const headersNamed = ({ rawHeaders }: Request, name: string): number =>
  rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === name).length

/** The name in the header Host, and that in the request target if it has the absolute form (RFC 9112, 3.2.2). */
const requestedNames = (req: Request): string[] => {
  const [, authority = ''] = /^https?:\/\/([^/?#]*)/i.exec(req.originalUrl) ?? []
  return [plainName(req.get('Host') ?? ''), plainName(authority)]
}

/** Strips the port, brackets and the dot at the end. */
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
