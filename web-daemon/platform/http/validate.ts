// Validates a body against its schema: every invalid field becomes a problem with its own message, in the order of the
// schema.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { isFieldCode, type FieldCode } from '@panel/shared/api/base/codes.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { strict, type TSchema } from '@panel/shared/schema.ts'
import { expectation } from './expectation.ts'
import { Problems } from './problems.ts'

export type Body = Record<string, unknown>

/** `x-code` and `x-message` define the error of a field; `x-secret` marks values that are never kept. */
export const SCHEMA_NOTES = ['x-code', 'x-message', 'x-secret'] as const

/** More than anyone reads; it limits the answer to a body with a million unknown fields. */
const MAX_PROBLEMS = 100

const ajv = new Ajv({
  allErrors: true,
  ownProperties: true,
  coerceTypes: false,
  useDefaults: false,
  strict: true,
  strictTypes: false,
})
ajv.addVocabulary([...SCHEMA_NOTES])
const compiled = new WeakMap<TSchema, ValidateFunction>()

/** Adds what is wrong to `problems` and returns the body without those fields; the body itself if nothing is. */
export function validate(schema: TSchema, body: Body, problems: Problems): Body {
  const refused = new Set(faultsOf(schema, body, problems).map(([field]) => field))
  if (refused.size === 0) return body
  return Object.fromEntries(Object.entries(body).filter(([field]) => !refused.has(field)))
}

/**
 * The same for a handler that gathers problems: a list stays without its refused items, each a hole in it, so that the
 * handler finds what else is wrong with the others, under their own index. So does what is in the field `inside`.
 */
function validateGathering(schema: TSchema, body: Body, problems: Problems, inside?: string): Body {
  const faults = faultsOf(schema, body, problems)
  return faults.length === 0 ? body : withoutFaults(body, faults, inside)
}

const withoutFaults = (body: Body, faults: readonly (readonly string[])[], inside?: string): Body =>
  Object.fromEntries(
    Object.entries(body).flatMap(([field, value]): [string, unknown][] => {
      const own = faults.filter(([name]) => name === field).map(([, ...within]) => within)
      if (own.length === 0) return [[field, value]]
      if (own.some((within) => within.length === 0)) return []
      if (field === inside) return [[field, withoutFaults(value as Body, own)]]
      return Array.isArray(value) ? [[field, withoutItems(value, new Set(own.map(([at]) => Number(at))))]] : []
    }),
  )

const withoutItems = (items: readonly unknown[], refused: ReadonlySet<number>): unknown[] => {
  const kept = new Array<unknown>(items.length)
  for (const [at, item] of items.entries()) if (!refused.has(at)) kept[at] = item
  return kept
}

/** The paths of what is wrong, with a problem for each that has none yet. */
const faultsOf = (schema: TSchema, body: Body, problems: Problems): (readonly string[])[] => {
  const check = compiledCheck(schema)
  if (check(shortened(schema, body))) return []
  const wrong = [...(check.errors ?? [])]
    .map((error) => locate(schema, error))
    .sort((a, b) => rank(schema, a) - rank(schema, b))
  for (const error of wrong.slice(0, MAX_PROBLEMS)) {
    if (!problems.has(error.path.join('.')))
      problems.add(error.path.join('.'), problemCode(error), problemMessage(error))
  }
  return wrong.map(({ path }) => path)
}

/** What an endpoint takes of a body. Throws 422, unless its handler gathers problems. */
export function readFields(
  { body: schema = NOTHING, gathersProblems = false, gathersInside }: Taking,
  given: Body,
): { readonly body: Body; readonly problems: Problems } {
  const problems = new Problems(Object.keys((schema['properties'] as object | undefined) ?? {}))
  if (gathersProblems) return { body: validateGathering(schema, given, problems, gathersInside), problems }
  const body = validate(schema, given, problems)
  problems.throwIfAny()
  return { body, problems }
}

interface Taking {
  readonly body?: TSchema
  readonly gathersProblems?: boolean
  readonly gathersInside?: string
}

/** An endpoint without a body schema accepts no fields. */
const NOTHING: TSchema = strict({})

interface FieldError {
  readonly path: readonly string[]
  readonly keyword: string
  /** The schema of the field; undefined for an unknown field. */
  readonly schema: TSchema | undefined
}

const compiledCheck = (schema: TSchema): ValidateFunction => {
  const check = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, check)
  return check
}

/** Only one item beyond the maximum of a list is validated: an error per item would fill the memory. */
const shortened = (schema: TSchema | undefined, value: unknown): unknown => {
  const most: unknown = schema?.['maxItems']
  if (Array.isArray(value))
    return (typeof most === 'number' ? value.slice(0, most + 1) : value).map((item: unknown) =>
      shortened(schema?.['items'] as TSchema | undefined, item),
    )
  const properties = schema?.['properties'] as Record<string, TSchema> | undefined
  if (!properties || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, one]) => [
      field,
      Object.hasOwn(properties, field) ? shortened(properties[field], one) : one,
    ]),
  )
}

const locate = (schema: TSchema, error: ErrorObject): FieldError => {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer)
  const params = error.params as { additionalProperty?: string; missingProperty?: string }
  const last = error.keyword === 'additionalProperties' ? params.additionalProperty : params.missingProperty
  if (last !== undefined) path.push(last)
  return { path, keyword: error.keyword, schema: path.reduce(within, schema) }
}

const within = (schema: TSchema | undefined, step: string): TSchema | undefined => {
  if (schema?.['type'] === 'array') return schema['items'] as TSchema | undefined
  const properties = schema?.['properties'] as Record<string, TSchema> | undefined
  return properties && Object.hasOwn(properties, step) ? properties[step] : undefined
}

const unescapePointer = (text: string): string => text.replaceAll('~1', '/').replaceAll('~0', '~')

const rank = (schema: TSchema, error: FieldError): number => {
  const at = Object.keys((schema['properties'] as object | undefined) ?? {}).indexOf(error.path[0] ?? '')
  return at < 0 ? Number.MAX_SAFE_INTEGER : at
}

const problemCode = (error: FieldError): FieldCode => {
  if (!error.schema) return 'UNKNOWN_FIELD'
  const code: unknown = error.schema['x-code']
  return isFieldCode(code) ? code : 'INVALID_VALUE'
}

const problemMessage = ({ path, keyword, schema }: FieldError): Message => {
  const field = path.join('.').slice(0, 100)
  if (!schema) return message('input.unknown_field', { field })
  const ownMessage = schema['x-message'] as Message | undefined
  if (ownMessage) return ownMessage
  const params = { field, expected: expectation(schema) }
  return keyword === 'required' ? message('input.required', params) : message('input.must_be', params)
}
