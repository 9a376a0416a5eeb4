// Translates our schemas to OpenAPI 3.0.3, and throws for what that cannot express.
import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from '@panel/shared/schema.ts'
import { SCHEMA_NOTES } from '../../platform/http/validate.ts'

/** A Schema Object of OpenAPI 3.0.3, or a reference to one. */
export type OpenApiSchema = Readonly<Record<string, unknown>>
type Schema = Readonly<Record<string, unknown>>

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
const OURS: readonly string[] = ['x-also', ...SCHEMA_NOTES, '$id']

/** OpenAPI 3.0.3 has no null type, and nothing beside a reference counts. */
const NULL: OpenApiSchema = { type: 'object', nullable: true, enum: [null] }

/** The titled schemas of a document: each stands once under its title, and is referred to where it is used. */
export class Components {
  readonly #schemas = new Map<string, OpenApiSchema>()

  /** Throws for a schema that OpenAPI cannot express, and for a title that another schema has. */
  describe(given: TSchema): OpenApiSchema {
    const { title, description, nullable, ...rest }: Schema = withoutNull(given)
    if (typeof title !== 'string') return this.#words({ ...rest, description, nullable })
    const reference = this.#refer(title, { title, ...this.#words(rest) })
    const beside = description === undefined ? {} : { description }
    if (nullable === true) return { ...beside, anyOf: [reference, NULL] }
    return description === undefined ? reference : { ...beside, allOf: [reference] }
  }

  /** The schemas by title, in alphabetical order. */
  get schemas(): Readonly<Record<string, OpenApiSchema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #refer(title: string, schema: OpenApiSchema): OpenApiSchema {
    const known = this.#schemas.get(title) ?? schema
    if (!isDeepStrictEqual(known, schema)) throw new Error(`Two schemas have the title ${title}`)
    this.#schemas.set(title, known)
    return { $ref: `#/components/schemas/${title}` }
  }

  #words(schema: Schema): OpenApiSchema {
    const parts = Object.entries(schema).filter(([word, value]) => !OURS.includes(word) && value !== undefined)
    return Object.assign(
      schema['x-secret'] === true && schema['type'] === 'string' ? { format: 'password' } : {},
      ...parts.map(([word, value]) => this.#word(word, value)),
    ) as OpenApiSchema
  }

  #word(word: string, value: unknown): OpenApiSchema {
    if (SAME_WORDS.includes(word)) return { [word]: value }
    switch (word) {
      case 'items':
      case 'not':
        return { [word]: this.describe(value as TSchema) }
      case 'additionalProperties':
        return { [word]: typeof value === 'boolean' ? value : this.describe(value as TSchema) }
      case 'properties':
        return {
          [word]: Object.fromEntries(
            Object.entries(value as Record<string, TSchema>).map(([name, schema]) => [name, this.describe(schema)]),
          ),
        }
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
        return { [word]: (value as TSchema[]).map((schema) => this.describe(schema)) }
      case 'const':
        return { type: typeof value, enum: [value] }
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        return { [word === 'exclusiveMinimum' ? 'minimum' : 'maximum']: value, [word]: true }
      default:
        throw new Error(`OpenAPI 3.0.3 has no word for ${word}`)
    }
  }
}

const isNull = (schema: unknown): boolean => (schema as Schema)['type'] === 'null'
const toList = (schema: Schema, word: string): unknown[] =>
  Array.isArray(schema[word]) ? (schema[word] as unknown[]) : []

/** Replaces each way to allow null by the one word of OpenAPI. */
function withoutNull(schema: Schema): Schema {
  const { type, anyOf, ...rest } = schema
  const [types, branches] = [toList(schema, 'type'), toList(schema, 'anyOf')]
  if (!types.includes('null') && !branches.some(isNull)) return schema
  const [otherTypes, others] = [types.filter((one) => one !== 'null'), branches.filter((one) => !isNull(one))]
  if (otherTypes.length > 1) throw new Error('OpenAPI 3.0.3 has no word for a value of several types')
  if (others.length === 1) return { ...rest, ...(others[0] as Schema), nullable: true }
  return {
    ...rest,
    ...(type !== undefined && { type: otherTypes[0] ?? type }),
    ...(others.length > 0 && { anyOf: others }),
    nullable: true,
  }
}
