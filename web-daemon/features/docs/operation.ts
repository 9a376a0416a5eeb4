// One endpoint as an operation of the API description (reference.md, API description 2 to 6).
import type { Scope } from '@panel/shared/api/scopes.ts'
import { SafeApplyPending } from '@panel/shared/api/safe-apply.ts'
import { integer, strict, type TSchema } from '@panel/shared/schema.ts'
import { WINDOW_SECONDS } from '@panel/shared/window/model.ts'
import { CONFIRM_WITHIN, CONFIRM_WITHIN_HEADER } from '../../platform/http/confirm-within.ts'
import { changesHost, type Endpoint, type Tag } from '../../platform/http/endpoint.ts'
import { API_BASE, endpointMethod, endpointPath } from '../../platform/http/routes.ts'
import { scopesOf } from '../../platform/http/scopes.ts'
import { openApiSchema, type OpenApiSchema } from './schema.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: OpenApiSchema
}

interface MediaType {
  readonly schema: OpenApiSchema
  readonly 'x-events'?: Readonly<Record<string, OpenApiSchema>>
}

interface Response {
  readonly description: string
  readonly content: Readonly<Record<string, MediaType>>
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly [Tag]
  readonly summary: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, MediaType>> }
  readonly responses: Readonly<Record<'200' | '401' | '422' | '503', Response>>
  readonly security: readonly OpenApiSchema[]
  /** Any one of them is enough; none where no token is. */
  readonly 'x-token-scopes': readonly Scope[]
}

export function describeOperation(endpoint: Endpoint): Operation {
  const body = bodyOf(endpoint)
  const scopes = scopesOf(endpoint)
  return {
    operationId: operationId(endpoint),
    tags: [endpoint.tag ?? 'other'],
    summary: endpoint.summary ?? 'Undocumented endpoint',
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint), ...headerParameters(endpoint)],
    ...(body && { requestBody: { required: listIn(body, 'required').length > 0, content: json(body) } }),
    responses: { '200': { description: 'It worked.', content: describeSuccess(endpoint) }, ...REFUSALS },
    security: [{ session: [] }, ...(scopes.length > 0 ? [{ token: [] }] : [])],
    'x-token-scopes': scopes,
  }
}

/** With the one more field that every command has which can change the host. */
const bodyOf = (endpoint: Endpoint): TSchema | undefined =>
  changesHost(endpoint) ? withField(endpoint.body ?? strict({}), CONFIRM_WITHIN, WITHIN) : endpoint.body

/** With what its answer tells of an open window. */
export const answerOf = (endpoint: Endpoint, answer: TSchema): TSchema =>
  changesHost(endpoint) ? withField(answer, 'safe_apply', SafeApplyPending) : answer

const WITHIN = integer(WINDOW_SECONDS.least, WINDOW_SECONDS.most, {
  description:
    'The change is put back unless it is confirmed within so many seconds, and opens a window for that where none is open; or as the header X-Confirm-Within.',
})

const extended = new WeakMap<TSchema, TSchema>()

function withField(schema: TSchema, name: string, field: TSchema): TSchema {
  const known = extended.get(schema) ?? {
    ...schema,
    properties: { ...(schema['properties'] as object), [name]: field },
  }
  extended.set(schema, known)
  return known
}

/** The whole path, as it is served. */
export function servedPath(endpoint: Endpoint): string {
  return `${API_BASE}${endpointPath(endpoint)}`
}

export function operationId(endpoint: Endpoint): string {
  return `${endpointMethod(endpoint).toLowerCase()}_${endpointPath(endpoint).slice(1).replaceAll(/[/-]/g, '_').replaceAll(/[{}]/g, '')}`
}

const json = (schema: TSchema): Response['content'] => ({ 'application/json': { schema: openApiSchema(schema) } })
const listIn = (schema: TSchema, word: string): unknown[] => (schema[word] as unknown[] | undefined) ?? []

const pathParameters = (endpoint: Endpoint): Parameter[] =>
  [...endpointPath(endpoint).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'integer', format: 'int64', minimum: 0 },
  }))

const queryParameters = ({ query }: Endpoint): Parameter[] =>
  Object.entries(query?.properties ?? {}).map(([name, schema]) => {
    const { description, ...rest } = openApiSchema(schema)
    return { name, in: 'query', required: false, ...(typeof description === 'string' && { description }), schema: rest }
  })

const headerParameters = (endpoint: Endpoint): Parameter[] => [
  ...(endpointMethod(endpoint) === 'GET' || endpoint.guards?.csrf === false ? [] : [CSRF]),
  ...(endpoint.kind === 'command' && endpoint.isCreating === true ? [ONCE] : []),
  ...(endpoint.kind === 'command' && endpoint.isVersioned === true ? [VERSION] : []),
  ...(changesHost(endpoint) ? [CONFIRM] : []),
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

const VERSION: Parameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `updated_date` that the client has seen, in quotes. Where the record has another one by now, the answer is 412 with the record in `details.current`.',
  schema: { type: 'string' },
}

function describeSuccess(endpoint: Endpoint): Response['content'] {
  if (endpoint.kind !== 'stream')
    return endpoint.answer
      ? json(answerOf(endpoint, endpoint.answer))
      : { 'application/json': { schema: { type: 'object' } } }
  const events = Object.entries(endpoint.events ?? {})
  const description = `Server-sent events: ${events.map(([name]) => name).join(', ')}. The data of each is JSON; x-events has the schemas.`
  return {
    'text/event-stream': {
      schema: { type: 'string', description },
      'x-events': Object.fromEntries(events.map(([name, schema]) => [name, openApiSchema(schema)])),
    },
  }
}

const refusal = (description: string): Response => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

const REFUSALS = {
  '401': refusal('There is no session, or it has ended.'),
  '422': refusal('A value is refused: field names the first one, details says why of each.'),
  '503': refusal('There is no operator account yet, or something that is needed does not answer.'),
}
