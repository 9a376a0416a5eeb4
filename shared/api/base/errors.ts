// What an error and a warning look like on the wire (reference.md, Error envelope; decisions.md, section 4).
import { strict, stringEnum, Type, type Static } from '../../schema.ts'
import { ERROR_CODES, WARNING_CODES } from './codes.ts'
import { Anything, shape, Text } from './shapes.ts'

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

export const Warning = shape('Warning', { code: stringEnum(WARNING_CODES), message: Text, field: Text })
export type Warning = Static<typeof Warning>
