// An expected error. A Refusal thrown anywhere becomes the error envelope with the status of its code.
import type { ErrorCode } from '@panel/shared/api/base/codes.ts'

export class Refusal extends Error {
  readonly code: ErrorCode
  readonly field: string
  readonly details: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    message: string,
    more: { field?: string; details?: Record<string, unknown>; headers?: Record<string, string> } = {},
  ) {
    super(withOneStop(toSentence(message)))
    this.name = 'Refusal'
    this.code = code
    this.field = more.field ?? ''
    this.details = more.details ?? {}
    this.headers = more.headers ?? {}
  }
}

/** What is quoted at the end of a sentence may bring a full stop of its own. */
export const withOneStop = (message: string): string => message.replace(/([.!?])\.$/, '$1')

/**
 * A sentence begins with a capital letter (reference.md, Error envelope); names of fields and interfaces keep their
 * case.
 */
const toSentence = (message: string): string => (/^[A-Z]/.test(message) ? message : `Refused: ${message}`)
