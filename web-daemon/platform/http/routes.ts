// Registers the endpoints: literal paths before those with an id, and 405 with Allow for the other methods of a path.
import type { Express, RequestHandler } from 'express'
import { message } from '@panel/shared/messages/message.ts'
import type { Endpoint, Method } from './endpoint.ts'
import { Refusal } from './refusal.ts'
import { serve, type Pipeline } from './serve.ts'

export const API_BASE = '/api/v1'

/** Path parameters are written {id}, as in the API description. */
export function endpointPath(endpoint: Endpoint): string {
  return endpoint.route.slice(endpoint.route.indexOf(' ') + 1)
}
export function endpointMethod(endpoint: Endpoint): Method {
  return endpoint.route.slice(0, endpoint.route.indexOf(' ')) as Method
}

export function mountEndpoints(
  app: Express,
  endpoints: readonly Endpoint[],
  pipeline: Pipeline,
  base = API_BASE,
): void {
  for (const { path, served } of byPath(endpoints)) {
    const route = app.route(expressPath(path, base))
    route.all(idsAreNumbers)
    for (const endpoint of served) route[routerMethod(endpoint)](serve(endpoint, pipeline))
    route.all(noSuchMethod(served.map(endpointMethod)))
  }
}

interface Found {
  readonly endpoint: Endpoint
  readonly params: Readonly<Record<string, number>>
}

/**
 * The endpoint in the form that the router finds. Null if nothing is at the path; `method` names those that there are,
 * if it has none.
 */
export function findEndpoint(
  endpoints: readonly Endpoint[],
  method: string,
  path: string,
): Found | { readonly methods: readonly Method[] } | null {
  for (const { pattern, served } of patternsOf(endpoints)) {
    const at = pattern.exec(path)
    if (!at) continue
    const endpoint = served.find((one) => endpointMethod(one) === method)
    if (!endpoint) return { methods: served.map(endpointMethod) }
    const ids = Object.entries(at.groups ?? {})
    return { endpoint, params: Object.fromEntries(ids.map(([name, text]) => [name, Number(text)])) }
  }
  return null
}

interface Pattern {
  readonly pattern: RegExp
  readonly served: readonly Endpoint[]
}

/** Made once for all endpoints: one request may be a thousand others. */
const patterns = new WeakMap<readonly Endpoint[], readonly Pattern[]>()

function patternsOf(endpoints: readonly Endpoint[]): readonly Pattern[] {
  const known = patterns.get(endpoints)
  if (known) return known
  const made = byPath(endpoints).map(({ path, served }) => ({ pattern: patternOf(path), served }))
  patterns.set(endpoints, made)
  return made
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>\\d{1,15})')}$`)

/** In the order in which they are looked through. */
const byPath = (endpoints: readonly Endpoint[]) =>
  [...new Set(endpoints.map(endpointPath))].sort(literalsFirst).map((path) => ({
    path,
    served: endpoints.filter((endpoint) => endpointPath(endpoint) === path),
  }))

export function expressPath(path: string, base = API_BASE): string {
  return `${base}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
}

const routerMethod = (endpoint: Endpoint) => endpointMethod(endpoint).toLowerCase() as Lowercase<Method>

/** "{" sorts after every letter, so that of two matching paths the literal one comes first. */
const literalsFirst = (a: string, b: string): number => (a < b ? -1 : 1)

const idsAreNumbers: RequestHandler = (req, _res, next) => {
  if (Object.values(req.params).every((text) => typeof text === 'string' && /^\d{1,15}$/.test(text))) next()
  else throw notFound()
}

const noSuchMethod = (methods: readonly Method[]): RequestHandler => {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  return (req) => {
    throw new Refusal('METHOD_NOT_ALLOWED', message('panel.method', { method: req.method, allowed }), {
      headers: { Allow: allowed },
    })
  }
}

export function notFound(): Refusal {
  return new Refusal('NOT_FOUND', message('panel.nothing_here'))
}
