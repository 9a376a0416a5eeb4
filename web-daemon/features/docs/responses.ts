// What an operation of the API description answers, by status (reference.md, API description 5).
import { ErrorEnvelope } from '@panel/shared/api/base/errors.ts'
import type { Endpoint, Status } from '../../platform/http/endpoint.ts'
import { statusesOf } from '../../platform/http/statuses.ts'
import type { Components, OpenApiSchema } from './schema.ts'
import { answerOf } from './windowed.ts'

export interface MediaType {
  readonly schema: OpenApiSchema
  readonly 'x-events'?: Readonly<Record<string, OpenApiSchema>>
}
export type Content = Readonly<Record<string, MediaType>>

export interface Response {
  readonly description: string
  readonly content: Content
}
interface Reference {
  readonly $ref: string
}

/** Refusals are references to the components of that name. */
export type Responses = Readonly<Partial<Record<Status, Response | Reference>>>

type Success = 200 | 201
const SUCCESSES: Readonly<Record<Success, string>> = { 200: 'It worked.', 201: 'It was created.' }

const REFUSALS: Readonly<Record<Exclude<Status, Success>, readonly [name: string, description: string]>> = {
  400: ['BadRequest', 'The request is not of a form that can be read.'],
  401: ['Unauthorized', 'There is no session, it has ended, or a password or code is wrong.'],
  403: ['Forbidden', 'The CSRF token, the host or origin, a scope, or a fresh password is missing or not allowed.'],
  404: ['NotFound', 'What the request names does not exist.'],
  409: ['Conflict', 'It is at odds with what is stored, with the host, or with a change under way: code says which.'],
  412: ['PreconditionFailed', 'If-Match names another version: details.current is the record as it is now.'],
  413: ['PayloadTooLarge', 'The body is larger than details.limit_bytes.'],
  422: ['ValidationFailed', 'A value is refused: field names the first one, details says why of each.'],
  429: [
    'TooManyRequests',
    'Too many attempts, or too many at once. Where there is a time to wait, Retry-After has it.',
  ],
  500: ['InternalError', 'An unexpected failure. The log has more.'],
  503: ['Unavailable', 'There is no operator account yet, or something that is needed does not answer.'],
}

export function describeResponses(endpoint: Endpoint, components: Components): Responses {
  return Object.fromEntries(
    statusesOf(endpoint).map((status) => [
      status,
      isSuccess(status)
        ? { description: SUCCESSES[status], content: describeSuccess(endpoint, components) }
        : { $ref: `#/components/responses/${REFUSALS[status][0]}` },
    ]),
  )
}

/** Each refusal once, under its name. */
export function refusalResponses(components: Components): Readonly<Record<string, Response>> {
  const content = { 'application/json': { schema: components.describe(ErrorEnvelope) } }
  return Object.fromEntries(Object.values(REFUSALS).map(([name, description]) => [name, { description, content }]))
}

const isSuccess = (status: Status): status is Success => status in SUCCESSES

function describeSuccess(endpoint: Endpoint, components: Components): Content {
  if (endpoint.kind !== 'stream') {
    const schema = endpoint.answer ? components.describe(answerOf(endpoint, endpoint.answer)) : { type: 'object' }
    return { 'application/json': { schema } }
  }
  const events = Object.entries(endpoint.events ?? {})
  const description = `Server-sent events: ${events.map(([name]) => name).join(', ')}. The data of each is JSON; x-events has the schemas.`
  return {
    'text/event-stream': {
      schema: { type: 'string', description },
      'x-events': Object.fromEntries(events.map(([name, schema]) => [name, components.describe(schema)])),
    },
  }
}
