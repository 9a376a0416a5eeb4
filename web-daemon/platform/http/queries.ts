// The words that an endpoint says in what it reads of a query. They describe and refuse nothing: what cannot be read counts as not given, unless a handler says otherwise.
import { strict, Type, type TObject, type TOptional, type TSchema } from '@panel/shared/schema.ts'

/** Every parameter can be left out. */
export const queryParameters = <T extends Record<string, TSchema>>(
  parameters: T,
): TObject<{ [K in keyof T]: TOptional<T[K]> }> =>
  strict(
    Object.fromEntries(Object.entries(parameters).map(([name, schema]) => [name, Type.Optional(schema)])) as {
      [K in keyof T]: TOptional<T[K]>
    },
  )

export const integerParameter = (description: string, minimum = 1, more: object = {}) =>
  Type.Integer({ minimum, description, ...more })
export const numberParameter = (description: string, minimum: number, maximum: number) =>
  Type.Number({ minimum, maximum, description })
export const textParameter = (description: string) => Type.String({ description })
export const flagParameter = (description: string) => Type.Boolean({ description })
export const timeParameter = (description: string) =>
  Type.String({ format: 'date-time', description: `${description} Such as 2026-01-31T12:00:00Z.` })
export const enumParameter = <T extends string | number>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: typeof values[0] === 'number' ? 'integer' : 'string', enum: [...values], description })

/** decisions.md, W15. */
export const limitParameter = ({ standard = 100, maximum = 1000 }: { standard?: number; maximum?: number } = {}) =>
  Type.Integer({ minimum: 0, maximum, default: standard, description: 'How many to tell at the most.' })
export const pagingParameters = (bounds: { standard?: number; maximum?: number } = {}) => ({
  limit: limitParameter(bounds),
  offset: Type.Integer({ minimum: 0, default: 0, description: 'How many to leave out from the beginning.' }),
})
