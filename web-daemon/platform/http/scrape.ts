// One address outside the API that a program reads as text, behind the guards of the API. A browser that opens it
// wants the page, which has an address of the same name.
import { gzipSync } from 'node:zlib'
import type { RequestHandler } from 'express'
import { sendEncoded } from './assets.ts'
import type { Endpoint } from './endpoint.ts'
import type { Guard } from './guards.ts'
import { nameRoute } from './request-counts.ts'
import { notFound } from './routes.ts'
import { toGuardedRequest } from './serve.ts'

export interface Scrape {
  readonly path: string
  /** What the guards go by, such as the tag that a scope is derived from. */
  readonly endpoint: Endpoint
  readonly guards: readonly Guard[]
  readonly isOn: () => boolean
  /** For the Accept header of the request. */
  readonly read: (accept: string) => Promise<{ readonly type: string; readonly text: string }>
}

/** Levels that shrink megabytes of similar lines to a twentieth within a few tens of milliseconds. */
const GZIP = { level: 1 }

export function scrapeRoute({ path, endpoint, guards, isOn, read }: Scrape): RequestHandler {
  return async (req, res, next) => {
    const accept = req.get('Accept') ?? ''
    if (req.path !== path || /\btext\/html\b/.test(accept)) return next()
    if (!isOn() || !['GET', 'HEAD'].includes(req.method)) throw notFound()
    nameRoute(res, endpoint.route)
    const guarded = toGuardedRequest(endpoint, req)
    for (const guard of guards) await guard(guarded)
    const { type, text } = await read(accept)
    const plain = Buffer.from(text)
    res.status(200).set('Content-Type', type).vary('Accept')
    const compressed = {
      get gzip() {
        return gzipSync(plain, GZIP)
      },
    }
    sendEncoded(req, res, { plain, compressed })
  }
}
