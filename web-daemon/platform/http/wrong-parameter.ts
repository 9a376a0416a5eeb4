// The refusal of a parameter of a query, for those that a handler does not take as not given.
import type { FieldCode } from '@panel/shared/api/base/codes.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import { asMessage, Refusal } from './refusal.ts'

export function wrongParameter(field: string, text: Message, details: Record<string, unknown> = {}): Refusal {
  const message = asMessage(text)
  const problem = { field, code: 'INVALID_VALUE' satisfies FieldCode, ...message, details }
  return new Refusal('VALIDATION_FAILED', message, {
    field,
    details: { ...details, [field]: message.message, fields: [problem] },
  })
}
