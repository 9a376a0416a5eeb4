// Translates our schemas to OpenAPI 3.0.3, and throws for what that cannot express.
import { ErrorEnvelope, Warning } from '@panel/shared/api/base/errors.ts'
import type { TSchema } from '@panel/shared/schema.ts'
import { SCHEMA_NOTES } from '../../platform/http/validate.ts'

/** A Schema Object of OpenAPI 3.0.3, or a reference to one. */
export type OpenApiSchema = Readonly<Record<string, unknown>>
type Schema = Readonly<Record<string, unknown>>

/** Schemas that others refer to by these names. */
export const COMPONENTS: Readonly<Record<string, TSchema>> = { Error: ErrorEnvelope, Warning }

const SAME_WORDS = [
  'title',
  'description',
  'type',
  'format',
  'enum',
  'default',
  'nullable',
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
]
const OURS: readonly string[] = [...SCHEMA_NOTES, '$id']

/** `name`: the component being made, which must not refer to itself. */
export function openApiSchema(given: TSchema, name = ''): OpenApiSchema {
  const schema: Schema = given
  const title = String(schema['title'])
  if (title !== name && COMPONENTS[title] === given) return { $ref: `#/components/schemas/${title}` }
  if (isNullable(schema)) return { ...openApiSchema(withoutNull(schema) as TSchema), nullable: true }
  const parts = Object.entries(schema).filter(([word, value]) => !OURS.includes(word) && value !== undefined)
  return Object.assign(
    schema['x-secret'] === true && schema['type'] === 'string' ? { format: 'password' } : {},
    ...parts.map(([word, value]) => noted(word, value)),
  ) as OpenApiSchema
}

function noted(word: string, value: unknown): OpenApiSchema {
  if (SAME_WORDS.includes(word)) return { [word]: value }
  switch (word) {
    case 'items':
    case 'not':
      return { [word]: openApiSchema(value as TSchema) }
    case 'additionalProperties':
      return { [word]: typeof value === 'boolean' ? value : openApiSchema(value as TSchema) }
    case 'properties':
      return {
        [word]: Object.fromEntries(
          Object.entries(value as Record<string, TSchema>).map(([name, schema]) => [name, openApiSchema(schema)]),
        ),
      }
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return { [word]: (value as TSchema[]).map((schema) => openApiSchema(schema)) }
    case 'const':
      return { type: typeof value, enum: [value] }
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return { [word === 'exclusiveMinimum' ? 'minimum' : 'maximum']: value, [word]: true }
    default:
      throw new Error(`OpenAPI 3.0.3 has no word for ${word}`)
  }
}

const isNull = (schema: unknown): boolean => (schema as Schema)['type'] === 'null'
const toList = (schema: Schema, word: string): unknown[] =>
  Array.isArray(schema[word]) ? (schema[word] as unknown[]) : []

/** OpenAPI 3.0.3 has no null type. */
const isNullable = (schema: Schema): boolean =>
  toList(schema, 'type').includes('null') || toList(schema, 'anyOf').some(isNull)

function withoutNull({ type, anyOf, ...rest }: Schema): Schema {
  const [types, branches] = [
    toList({ type }, 'type').filter((one) => one !== 'null'),
    toList({ anyOf }, 'anyOf').filter((one) => !isNull(one)),
  ]
  if (types.length > 1) throw new Error('OpenAPI 3.0.3 has no word for a value of several types')
  if (branches.length === 1) return { ...rest, ...(branches[0] as Schema) }
  return {
    ...rest,
    ...(type !== undefined && { type: types[0] ?? type }),
    ...(branches.length > 0 && { anyOf: branches }),
  }
}
