// The statuses that an endpoint can answer with, for the API description (decisions.md, T16).
import { isWindowed, type Endpoint, type Status } from './endpoint.ts'
import { endpointMethod, endpointPath } from './routes.ts'

/** Every request can be refused for its form, its sender or its values, and can fail. */
const ALWAYS: readonly Status[] = [200, 400, 401, 403, 422, 429, 500, 503]

/** Returns those that follow from the kind of the endpoint, and those that it declares. */
export function statusesOf(endpoint: Endpoint): readonly Status[] {
  const isCommand = endpoint.kind === 'command'
  const derived: readonly [Status, boolean][] = [
    [404, endpointPath(endpoint).includes('{')],
    [409, isWindowed(endpoint)],
    [412, isCommand && endpoint.isVersioned === true],
    [413, endpointMethod(endpoint) !== 'GET'],
  ]
  const own = derived.filter(([, isPossible]) => isPossible).map(([status]) => status)
  return [...new Set([...ALWAYS, ...own, ...(endpoint.statuses ?? [])])].sort((a, b) => a - b)
}
