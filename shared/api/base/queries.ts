// The words that the parameters of a query are described in, and by which what is no such value is refused.
import { strict, Type, type TObject, type TOptional, type TSchema } from '../../schema.ts'

/** Every parameter can be left out. */
export function queryParameters<T extends Record<string, TSchema>>(
  parameters: T,
): TObject<{ [K in keyof T]: TOptional<T[K]> }> {
  return strict(
    Object.fromEntries(Object.entries(parameters).map(([name, schema]) => [name, Type.Optional(schema)])) as {
      [K in keyof T]: TOptional<T[K]>
    },
  )
}

export function integerParameter(description: string, minimum = 1, more: object = {}) {
  return Type.Integer({ minimum, description, ...more })
}
export function numberParameter(description: string, minimum: number, maximum: number) {
  return Type.Number({ minimum, maximum, description })
}
export function textParameter(description: string) {
  return Type.String({ description })
}
export function flagParameter(description: string) {
  return Type.Boolean({ description })
}
export function timeParameter(description: string) {
  return Type.String({ format: 'date-time', description: `${description} Such as 2026-01-31T12:00:00Z.` })
}
export function enumParameter<T extends string | number>(values: readonly T[], description: string, more: object = {}) {
  return Type.Unsafe<T>({
    type: typeof values[0] === 'number' ? 'integer' : 'string',
    enum: [...values],
    description,
    ...more,
  })
}

/** decisions.md, W15. */
export function limitParameter({ standard = 100, maximum = 1000 }: { standard?: number; maximum?: number } = {}) {
  return Type.Integer({ minimum: 0, maximum, default: standard, description: 'How many to return at most.' })
}
export function pagingParameters(bounds: { standard?: number; maximum?: number } = {}) {
  return {
    limit: limitParameter(bounds),
    offset: Type.Integer({ minimum: 0, default: 0, description: 'How many to leave out from the beginning.' }),
  }
}
