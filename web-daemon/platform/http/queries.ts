// The words that an endpoint says in what it reads of a query. They describe and refuse nothing: what cannot be read counts as not given, unless a handler says otherwise.
import { strict, Type, type TObject, type TOptional, type TSchema } from '@panel/shared/schema.ts'

/** Every parameter can be left out. */
export const queryOf = <T extends Record<string, TSchema>>(
  parameters: T,
): TObject<{ [K in keyof T]: TOptional<T[K]> }> =>
  strict(
    Object.fromEntries(Object.entries(parameters).map(([name, schema]) => [name, Type.Optional(schema)])) as {
      [K in keyof T]: TOptional<T[K]>
    },
  )

export const wholeIn = (description: string, minimum = 1, more: object = {}) =>
  Type.Integer({ minimum, description, ...more })
export const numberIn = (description: string, minimum: number, maximum: number) =>
  Type.Number({ minimum, maximum, description })
export const textIn = (description: string) => Type.String({ description })
export const flagIn = (description: string) => Type.Boolean({ description })
export const instantOf = (description: string) =>
  Type.String({ format: 'date-time', description: `${description} Such as 2026-01-31T12:00:00Z.` })
export const oneOfIn = <T extends string | number>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: typeof values[0] === 'number' ? 'integer' : 'string', enum: [...values], description })

/** decisions.md, W15. */
export const limitIn = ({ standard = 100, maximum = 1000 }: { standard?: number; maximum?: number } = {}) =>
  Type.Integer({ minimum: 0, maximum, default: standard, description: 'How many to tell at the most.' })
export const pageIn = (bounds: { standard?: number; maximum?: number } = {}) => ({
  limit: limitIn(bounds),
  offset: Type.Integer({ minimum: 0, default: 0, description: 'How many to leave out from the beginning.' }),
})
