// The statuses that an endpoint can answer with, for the API description (decisions.md, T16).
import type { ErrorCode, STATUS_OF } from '@panel/shared/api/base/codes.ts'
import { changesHost, isWindowed, type Endpoint } from './endpoint.ts'
import { endpointMethod, endpointPath } from './routes.ts'

/** A method that a path does not have is no endpoint's. */
export type Status = 200 | 201 | Exclude<(typeof STATUS_OF)[ErrorCode], 405>

/** Every request can be refused for its form, its sender or its values, and can fail. */
const ALWAYS: readonly Status[] = [200, 400, 401, 403, 422, 429, 500, 503]

/** Those that follow from the kind of the endpoint, and those that it declares. */
export function statusesOf(endpoint: Endpoint): readonly Status[] {
  const isCommand = endpoint.kind === 'command'
  const derived: readonly [Status, boolean][] = [
    [404, endpointPath(endpoint).includes('{')],
    [409, isCommand && (changesHost(endpoint) || isWindowed(endpoint))],
    [412, isCommand && endpoint.isVersioned === true],
    [413, endpointMethod(endpoint) !== 'GET'],
  ]
  const own = derived.filter(([, isPossible]) => isPossible).map(([status]) => status)
  return [...new Set([...ALWAYS, ...own, ...(endpoint.statuses ?? [])])].sort((a, b) => a - b)
}
