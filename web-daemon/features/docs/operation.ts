// One endpoint as an operation of the API description (reference.md, API description 2 to 6).
import type { Scope } from '@panel/shared/api/scopes.ts'
import type { TSchema } from '@panel/shared/schema.ts'
import { WINDOW_SECONDS } from '@panel/shared/window/model.ts'
import { CONFIRM_WITHIN_HEADER, WINDOW_HEADER } from '../../platform/http/confirm-within.ts'
import { changesHost, isWindowed, type Endpoint, type Tag } from '../../platform/http/endpoint.ts'
import { API_BASE, endpointMethod, endpointPath } from '../../platform/http/routes.ts'
import { scopesOf } from '../../platform/http/scopes.ts'
import { describeResponses, type Content, type Responses } from './responses.ts'
import type { Components, OpenApiSchema } from './schema.ts'
import { bodyOf } from './windowed.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: OpenApiSchema
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly [Tag]
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Responses
  readonly security: readonly OpenApiSchema[]
  /** Any one of them is enough; none where no token is. */
  readonly 'x-token-scopes': readonly Scope[]
}

export function describeOperation(endpoint: Endpoint, components: Components): Operation {
  const body = bodyOf(endpoint)
  const scopes = scopesOf(endpoint)
  return {
    operationId: operationId(endpoint),
    tags: [endpoint.tag ?? 'other'],
    summary: endpoint.summary ?? 'Undocumented endpoint',
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint, components), ...headerParameters(endpoint)],
    ...(body && {
      requestBody: {
        required: listIn(body, 'required').length > 0,
        content: { 'application/json': { schema: components.describe(body) } },
      },
    }),
    responses: describeResponses(endpoint, components),
    security: [{ session: [] }, ...(scopes.length > 0 ? [{ token: [] }] : [])],
    'x-token-scopes': scopes,
  }
}

/** The whole path, as it is served. */
export function servedPath(endpoint: Endpoint): string {
  return `${API_BASE}${endpointPath(endpoint)}`
}

export function operationId(endpoint: Endpoint): string {
  return `${endpointMethod(endpoint).toLowerCase()}_${endpointPath(endpoint).slice(1).replaceAll(/[/-]/g, '_').replaceAll(/[{}]/g, '')}`
}

const listIn = (schema: TSchema, word: string): unknown[] => (schema[word] as unknown[] | undefined) ?? []

const pathParameters = (endpoint: Endpoint): Parameter[] =>
  [...endpointPath(endpoint).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'integer', format: 'int64', minimum: 0 },
  }))

const queryParameters = ({ query }: Endpoint, components: Components): Parameter[] =>
  Object.entries(query?.properties ?? {}).map(([name, schema]) => {
    const { description, ...rest } = components.describe(schema)
    return { name, in: 'query', required: false, ...(typeof description === 'string' && { description }), schema: rest }
  })

const headerParameters = (endpoint: Endpoint): Parameter[] => [
  ...(endpointMethod(endpoint) === 'GET' || endpoint.guards?.csrf === false ? [] : [CSRF]),
  ...(endpoint.kind === 'command' && endpoint.isCreating === true ? [ONCE] : []),
  ...(endpoint.kind === 'command' && endpoint.isVersioned === true ? [VERSION] : []),
  ...(changesHost(endpoint) ? [CONFIRM] : []),
  ...(isWindowed(endpoint) ? [WINDOW] : []),
]

const CSRF: Parameter = {
  name: 'X-CSRF-Token',
  in: 'header',
  required: true,
  description: 'The value of the cookie panel_csrf. Not with an API token.',
  schema: { type: 'string' },
}
const ONCE: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: "A key of the client's own choice: the same key again within ten minutes returns the first answer.",
  schema: { type: 'string', maxLength: 255 },
}

const CONFIRM: Parameter = {
  name: CONFIRM_WITHIN_HEADER,
  in: 'header',
  required: false,
  description: 'The same as confirm_within_seconds in the body.',
  schema: { type: 'integer', minimum: WINDOW_SECONDS.least, maximum: WINDOW_SECONDS.most },
}

const WINDOW: Parameter = {
  name: WINDOW_HEADER,
  in: 'header',
  required: false,
  description: 'The window that the change is meant for. Where that is not open, the answer is 409 SAFE_APPLY_OVER.',
  schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
}

const VERSION: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `updated_date` that the client has seen, in quotes. Where the record has another one by now, the answer is 412 with the record in `details.current`.',
  schema: { type: 'string' },
}
