// An error answer of the API with its code, message and fields (shared/api/base/errors.ts).
import type { ErrorCode } from '@panel/shared/api/base/codes.ts'
import type { Params, Reference } from '@panel/shared/messages/message.ts'
import type { ErrorEnvelope } from '@panel/shared/api/base/errors.ts'
import type { ApiMessage } from './message.ts'

/** NO_ANSWER: no response. NOT_THE_PANEL: another server answered, perhaps a proxy. */
export type ApiErrorCode = ErrorCode | 'NO_ANSWER' | 'NOT_THE_PANEL'

interface Problem extends ApiMessage {
  readonly field: string
}

export class ApiError extends Error {
  readonly status: number
  readonly code: ApiErrorCode
  readonly field: string
  readonly details: Readonly<Record<string, unknown>>
  readonly message_id: string
  readonly params: Params

  constructor(
    status: number,
    {
      code,
      message,
      field = '',
      details = {},
    }: { code: ApiErrorCode; message: string; field?: string; details?: Record<string, unknown> },
    words: Partial<Reference> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.field = field
    this.details = details
    const [first] = Array.isArray(details['fields']) ? (details['fields'] as Problem[]) : []
    const { message_id = '', params = {} } = first ?? words
    this.message_id = message_id
    this.params = params
  }

  /** Field errors by name: from `details.fields`, from `details` itself (settings), or from `field`. */
  get fields(): Record<string, ApiMessage> {
    const { fields } = this.details
    if (Array.isArray(fields))
      return Object.fromEntries((fields as Problem[]).map((problem) => [problem.field, problem]))
    const texts = Object.entries(this.details).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    )
    if (this.code === 'VALIDATION_FAILED' && texts.length > 0)
      return Object.fromEntries(texts.map(([field, message]) => [field, { message }]))
    return this.field === '' ? {} : { [this.field]: this }
  }
}

/** Makes an error from a response whose status is one; `words` is its header X-Message. */
export const parseApiError = (status: number, body: unknown, words: string | null = null): ApiError => {
  const error = (body as Partial<ErrorEnvelope> | null)?.error
  return new ApiError(
    status,
    error ?? { code: 'NOT_THE_PANEL', message: 'Something other than the panel answered, perhaps a proxy before it.' },
    words !== null ? (JSON.parse(words) as Reference) : error ? {} : { message_id: 'panel.not_the_panel' },
  )
}

/** Wraps anything thrown. */
export const toApiError = (thrown: unknown): ApiError =>
  thrown instanceof ApiError
    ? thrown
    : new ApiError(0, { code: 'NO_ANSWER', message: thrown instanceof Error ? thrown.message : String(thrown) })
