// The words that the fields of a request are described in: each says by itself what is expected of it, and under which
// code it is refused.
import { message, type Message } from '../../messages/message.ts'
import type { FieldCode } from './codes.ts'
import { integerEnum, nullable, Type, type TSchema } from '../../schema.ts'

/**
 * `x-code` is the code in `details.fields[]` (decisions.md, section 4), `x-message` the sentence that the operator
 * reads.
 */
export const refusedWith = (code: FieldCode, message: Message, description: string) => ({
  'x-code': code,
  'x-message': message,
  description,
})

export const flag = (name: string, description: string) =>
  Type.Boolean(refusedWith('INVALID_VALUE', message('input.flag', { field: name }), description))
export const TITLE_MAX = 100

export const maybe = <T extends TSchema>(schema: T) => Type.Optional(schema)

/** Like `nullable`, and the English sentence says so too: a form has no null, and so no other language needs it. */
export const orNull = <T extends TSchema>(schema: T) =>
  nullable({ ...schema, 'x-message': withNull(schema['x-message'] as Message) })

export const withNull = (sentence: Message): Message => ({
  ...sentence,
  message: sentence.message.replace(/\.$/, ', or null.'),
})

export const ranged = (
  kind: 'integer' | 'number',
  minimum: number,
  maximum: number,
  code: FieldCode,
  name: string,
  description: string,
) =>
  Type.Unsafe<number>({
    type: kind,
    minimum,
    maximum,
    ...refusedWith(
      code,
      message(kind === 'integer' ? 'input.whole' : 'input.number', { field: name, minimum, maximum }),
      description,
    ),
  })

/** One of the numbers that stand for words. */
export const lookupId = (lookup: Readonly<Record<string, number>>, options: object) =>
  integerEnum(Object.values(lookup), options)

/** A name for people. */
export const title = (code: FieldCode, name: string, description: string) =>
  Type.String({
    minLength: 1,
    maxLength: TITLE_MAX,
    pattern: '^(?!\\s*$)[^\\u0000-\\u001f\\u007f]*$',
    ...refusedWith(code, message('input.title', { field: name, length: TITLE_MAX }), description),
  })

export const text = (maxLength: number, allowLines: boolean, name: string, description: string) =>
  Type.String({
    maxLength,
    pattern: allowLines ? '^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f]*$' : '^[^\\u0000-\\u001f\\u007f]*$',
    ...refusedWith(
      'INVALID_VALUE',
      message(allowLines ? 'input.text' : 'input.line', { field: name, length: maxLength }),
      description,
    ),
  })

/** RFC 1123: labels of letters, digits and hyphens. A name whose last label is a number would be an address. */
const HOSTNAME_PATTERN =
  '^(?=.*[A-Za-z][A-Za-z0-9-]*\\.?$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.?$'

export const hostname = (name: string, description: string) =>
  Type.String({
    maxLength: 253,
    pattern: HOSTNAME_PATTERN,
    ...refusedWith('INVALID_HOSTNAME', message('check.hostname', { field: name }), description),
  })

/** Words to find something by. */
export const tagList = (what: string) =>
  Type.Array(
    Type.String({
      maxLength: 50,
      pattern: '^(?!\\s*$)[^\\u0000-\\u001f\\u007f]+$',
      ...refusedWith('INVALID_VALUE', message('input.tag'), `A word to find the ${what} by.`),
    }),
    {
      maxItems: 32,
      uniqueItems: true,
      ...refusedWith('INVALID_VALUE', message('input.tags', { field: 'tags' }), `Words to find the ${what} by.`),
    },
  )

/** The key of a request that makes something: a repeat with the same key makes nothing a second time. */
export const ONCE_KEY = maybe(
  text(
    200,
    false,
    'idempotency_key',
    "A key of the client's own choice: the same key again within ten minutes returns the first answer.",
  ),
)
