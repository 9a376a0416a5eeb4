// What an error and a warning look like on the wire (reference.md, Error envelope; decisions.md, section 4).
import { strict, stringEnum, Type, type Static } from '../../schema.ts'
import { ERROR_CODES, WARNING_CODES } from './codes.ts'
import type { Message, Params } from '../../messages/message.ts'
import { Anything, shape, Text, described } from './shapes.ts'

/** A sentence in English, and what another language makes of the same (shared/messages/README.md). */
export const MessageFields = {
  message: Text,
  message_id: Type.Unsafe<Message['message_id']>({
    type: 'string',
    description: 'Which sentence it is; "" for text of somebody else, such as the kernel.',
  }),
  params: Type.Unsafe<Params>({
    type: 'object',
    additionalProperties: true,
    description: 'Its parameters: text, numbers, and sentences that are part of it.',
  }),
}

/** `field` is "" and `details` {} where there is nothing to say; never null. */
export const ErrorEnvelope = shape('Error', {
  error: strict({
    code: stringEnum(ERROR_CODES),
    message: Type.String({ pattern: '^[A-Z]', description: 'A sentence for people.' }),
    field: Text,
    details: Anything,
  }),
})
export type ErrorEnvelope = Static<typeof ErrorEnvelope>

/** Beside the English text where that has a name of its own. */
export const MessageIdentity = { message_id: MessageFields.message_id, params: MessageFields.params }
export const MessageView = shape('Message', MessageFields)

/** A field that holds a sentence, with its twin beside it (`spoken` in shared/messages/message.ts). */
export const sentence = <F extends string>(field: F, description?: string) =>
  ({
    [field]: description === undefined ? Text : described(Text, description),
    [`${field}_message`]: MessageView,
  }) as Record<F, typeof Text> & Record<`${F}_message`, typeof MessageView>

export const Warning = shape('Warning', { code: stringEnum(WARNING_CODES), ...MessageFields, field: Text })
export type Warning = Static<typeof Warning>
