// The words that answers are described in: one object is what a client learns of an answer, what the tests hold it
// against, and its TypeScript type.
import { strict, stringEnum, Type, type Static, type TSchema } from '../../schema.ts'

/** Exactly these fields. `title` is its name in the API description. */
export const shape = <T extends Parameters<typeof strict>[0]>(title: string, properties: T, description?: string) =>
  strict(properties, { title, ...(description !== undefined && { description }) })

/** The same with a sentence for the reader. */
export const described = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description })

export const Text = Type.String()
/** Never empty. */
export const Sentence = Type.String({ minLength: 1 })
export const Flag = Type.Boolean()
/** A field that is present only if something was done. */
export const Always = Type.Unsafe<true>({ type: 'boolean', enum: [true] })
export const Never = Type.Unsafe<false>({ type: 'boolean', enum: [false] })
export const Id = Type.Integer({ minimum: 1 })
export const Count = Type.Integer({ minimum: 0 })
export const Whole = Type.Integer()
export const Amount = Type.Number({ minimum: 0 })
/** In UTC, with milliseconds (RFC 3339; decisions.md, W1). */
export const Instant = Type.String({
  format: 'date-time',
  pattern: '^\\d{4,6}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
})
export const list = <T extends TSchema>(item: T, options: object = {}) => Type.Array(item, options)

/** Whatever the fields are. */
export const Anything = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })
/** A value of any type. */
export const Value = Type.Unknown()
/** Under names that nobody knows beforehand. */
export const mapOf = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: schema })

export const oneOf = stringEnum
/** The words of a lookup, and its numbers. */
export const wordIn = <T extends string>(lookup: Readonly<Record<T, number>>) => stringEnum(Object.keys(lookup) as T[])
export const idIn = (lookup: Readonly<Record<string, number>>) =>
  Type.Unsafe<number>({ type: 'integer', enum: Object.values(lookup) })

/** How many there are of each word, none left out. */
export const countsOf = <T extends string>(words: readonly T[]) =>
  Type.Unsafe<Record<T, number>>({
    type: 'object',
    properties: Object.fromEntries(words.map((word) => [word, Count])),
    required: [...words],
    additionalProperties: false,
  })
/** Words of which there are none may be left out. */
export const someCountsOf = <T extends string>(words: readonly T[]) =>
  Type.Unsafe<Partial<Record<T, number>>>({
    type: 'object',
    properties: Object.fromEntries(words.map((word) => [word, Count])),
    additionalProperties: false,
  })
