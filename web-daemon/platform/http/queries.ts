// The words that an endpoint says in what it reads of a query. They describe and refuse nothing: what cannot be read
// counts as not given, unless a handler says otherwise.
import type { FieldCode } from '@panel/shared/api/base/codes.ts'
import { strict, Type, type TObject, type TOptional, type TSchema } from '@panel/shared/schema.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import { asMessage, Refusal } from './refusal.ts'

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

/** 422 on a parameter, for those that a handler does not take as not given. */
export function wrongParameter(field: string, text: Message, details: Record<string, unknown> = {}): Refusal {
  const message = asMessage(text)
  const problem = { field, code: 'INVALID_VALUE' satisfies FieldCode, ...message, details }
  return new Refusal('VALIDATION_FAILED', message, {
    field,
    details: { ...details, [field]: message.message, fields: [problem] },
  })
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
export function enumParameter<T extends string | number>(values: readonly T[], description: string) {
  return Type.Unsafe<T>({ type: typeof values[0] === 'number' ? 'integer' : 'string', enum: [...values], description })
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
