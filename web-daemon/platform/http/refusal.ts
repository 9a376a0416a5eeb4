// An expected error. A Refusal thrown anywhere becomes the error envelope with the status of its code.
import { STATUS_OF, type ErrorCode } from '@panel/shared/api/base/codes.ts'
import { verbatim, type Message } from '@panel/shared/messages/message.ts'

interface RefusalMore {
  readonly field?: string
  readonly details?: Record<string, unknown>
  readonly headers?: Record<string, string>
}

export class Refusal extends Error {
  readonly code: ErrorCode
  readonly field: string
  readonly details: Record<string, unknown>
  readonly headers: Record<string, string>
  readonly message_id: Message['message_id']
  readonly params: Message['params']

  constructor(code: ErrorCode, text: Message, { field = '', details = {}, headers = {} }: RefusalMore = {}) {
    const { message, message_id, params } = asMessage(text)
    super(toSentence(message))
    this.name = 'Refusal'
    this.code = code
    this.message_id = message_id
    this.params = params
    this.field = field
    this.details = details
    this.headers = headers
  }
}

/** Whether the panel or the host is at fault, so that no other request fares better now. */
export const isFinal = ({ code }: Refusal): boolean => STATUS_OF[code] >= 500

/** For `catch`, where a refusal of one of many is an answer like others. */
export function orRefusal(thrown: unknown): Refusal {
  if (thrown instanceof Refusal && !isFinal(thrown)) return thrown
  throw thrown
}

/** Nothing but the message of what carries one, such as a refusal. */
export function asMessage({ message, message_id, params }: Message): Message {
  return { message, message_id, params }
}

/**
 * A sentence begins with a capital letter (reference.md, Error envelope); names of fields and interfaces keep their
 * case.
 */
const toSentence = (message: string): string => (/^[A-Z]/.test(message) ? message : `Refused: ${message}`)

/** The message for a part that could not be read. */
export const errorMessage = (failure: unknown): Message =>
  failure instanceof Refusal
    ? asMessage(failure)
    : verbatim(failure instanceof Error ? failure.message : String(failure))
