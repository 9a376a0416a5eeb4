// Registers the endpoints: literal paths before those with an id, and 405 with Allow for the other methods of a path.
import type { Express, RequestHandler } from 'express'
import type { Endpoint, Method } from './endpoint.ts'
import { Refusal } from './refusal.ts'
import { serve, type Pipeline } from './serve.ts'

export const API_BASE = '/api/v1'

/** Path parameters are written {id}, as in the API description. */
export function pathOf(endpoint: Endpoint): string {
  return endpoint.route.slice(endpoint.route.indexOf(' ') + 1)
}
export function methodOf(endpoint: Endpoint): Method {
  return endpoint.route.slice(0, endpoint.route.indexOf(' ')) as Method
}

export function mountEndpoints(
  app: Express,
  endpoints: readonly Endpoint[],
  pipeline: Pipeline,
  base = API_BASE,
): void {
  const paths = new Set(endpoints.map(pathOf))
  for (const path of [...paths].sort(literalsFirst)) {
    const served = endpoints.filter((endpoint) => pathOf(endpoint) === path)
    const route = app.route(expressPath(path, base))
    route.all(idsAreNumbers)
    for (const endpoint of served) route[verbOf(endpoint)](serve(endpoint, pipeline))
    route.all(noSuchMethod(served.map(methodOf)))
  }
}

export function expressPath(path: string, base = API_BASE): string {
  return `${base}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
}

const verbOf = (endpoint: Endpoint) => methodOf(endpoint).toLowerCase() as Lowercase<Method>

/** "{" sorts after every letter, so that of two matching paths the literal one comes first. */
const literalsFirst = (a: string, b: string): number => (a < b ? -1 : 1)

const idsAreNumbers: RequestHandler = (req, _res, next) => {
  if (Object.values(req.params).every((text) => typeof text === 'string' && /^\d{1,15}$/.test(text))) next()
  else throw notFound()
}

const noSuchMethod = (methods: readonly Method[]): RequestHandler => {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
  return (req) => {
    throw new Refusal('METHOD_NOT_ALLOWED', `The method ${req.method} is not possible here, but ${allowed}`, {
      headers: { Allow: allowed },
    })
  }
}

export function notFound(): Refusal {
  return new Refusal('NOT_FOUND', 'There is nothing here')
}
