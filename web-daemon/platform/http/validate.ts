// Holds a body against its schema: every wrong field becomes one problem with its own message, in the order in which the schema names the fields.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { isFieldCode, type FieldCode } from '@panel/shared/api/codes.ts'
import type { TSchema } from '@panel/shared/schema.ts'
import { expectation } from './expectation.ts'
import type { Problems } from './problems.ts'

export type Body = Record<string, unknown>

/** `x-code` and `x-message` say how a field is refused, `x-secret` that its value is never kept. */
export const SCHEMA_NOTES = ['x-code', 'x-message', 'x-secret'] as const

/** More than anyone reads; it bounds the answer to a body of a million unknown fields. */
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

/** Adds what is wrong to `problems` and gives back the body without the fields that are. */
export const validate = (schema: TSchema, body: Body, problems: Problems): Body => {
  const check = checkOf(schema)
  if (check(shortened(schema, body))) return body
  const wrong = [...(check.errors ?? [])]
    .map((error) => locate(schema, error))
    .sort((a, b) => rank(schema, a) - rank(schema, b))
  for (const found of wrong.slice(0, MAX_PROBLEMS)) {
    if (!problems.has(found.path.join('.'))) problems.add(found.path.join('.'), codeOf(found), messageOf(found))
  }
  const refused = new Set(wrong.map((found) => found.path[0]))
  return Object.fromEntries(Object.entries(body).filter(([field]) => !refused.has(field)))
}

interface Found {
  readonly path: readonly string[]
  readonly keyword: string
  /** Of the field itself; undefined where the schema does not name it. */
  readonly schema: TSchema | undefined
}

const checkOf = (schema: TSchema): ValidateFunction => {
  const check = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, check)
  return check
}

/** A list that is too long is refused for that, so one item more than it may have is all that is looked at: a wrong item each would fill the memory with what nobody reads. */
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

const locate = (schema: TSchema, error: ErrorObject): Found => {
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

const rank = (schema: TSchema, found: Found): number => {
  const at = Object.keys((schema['properties'] as object | undefined) ?? {}).indexOf(found.path[0] ?? '')
  return at < 0 ? Number.MAX_SAFE_INTEGER : at
}

const codeOf = (found: Found): FieldCode => {
  if (!found.schema) return 'UNKNOWN_FIELD'
  const code = noteOf(found, 'x-code')
  return isFieldCode(code) ? code : 'INVALID_VALUE'
}

const messageOf = (found: Found): string => {
  const field = found.path.join('.').slice(0, 100)
  if (!found.schema) return `There is no field ${field} in this request`
  const said = noteOf(found, 'x-message')
  if (said !== undefined) return said
  return `The field ${field} ${found.keyword === 'required' ? 'is required: it is' : 'must be'} ${expectation(found.schema)}`
}

const noteOf = (found: Found, note: (typeof SCHEMA_NOTES)[number]): string | undefined => {
  const value: unknown = found.schema?.[note]
  return typeof value === 'string' ? value : undefined
}
