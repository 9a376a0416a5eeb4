// What a component says of a probe that failed.
import { verbatim, type Message } from '@panel/shared/messages/message.ts'
import { asMessage, Refusal } from '../../platform/http/refusal.ts'

export const errorMessage = (failure: unknown): Message =>
  failure instanceof Refusal
    ? asMessage(failure)
    : verbatim(failure instanceof Error ? failure.message : String(failure))
