// The few words that schemas are written in: one object is the JSON Schema, the OpenAPI 3.0.3 schema and the TypeScript
// type.
import {
  Type,
  type Static,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnsafe,
} from '@sinclair/typebox'

export { Type, type Static, type TSchema, type TObject, type TOptional }

/** An object that refuses what it does not name. */
export const strict = <T extends TProperties>(properties: T, options: object = {}): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** OpenAPI 3.0.3 has no null type; ajv understands the same `nullable` word. */
export const nullable = <T extends TSchema>(schema: T): TUnsafe<Static<T> | null> =>
  Type.Unsafe<Static<T> | null>({
    ...schema,
    ...('enum' in schema ? { enum: [...(schema['enum'] as unknown[]), null] } : {}),
    nullable: true,
  })

export const stringEnum = <const T extends readonly string[]>(values: T, options: object = {}): TUnsafe<T[number]> =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

export const integerEnum = <const T extends readonly number[]>(values: T, options: object = {}): TUnsafe<T[number]> =>
  Type.Unsafe<T[number]>({ type: 'integer', enum: [...values], ...options })

export const integer = (minimum: number, maximum: number, options: object = {}) =>
  Type.Integer({ minimum, maximum, ...options })

export const U32_MAX = 0xffff_ffff

/** Text that a person reads: printable, bounded, one line. */
export const line = (maxLength: number) => Type.String({ pattern: `^[^\\u0000-\\u001f\\u007f]{0,${maxLength}}$` })
