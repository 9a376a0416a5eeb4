// The words that the fields of a request are described in: each says by itself what is expected of it, and under which
// code it is refused.
import type { FieldCode } from './codes.ts'
import { integerEnum, nullable, Type, type TSchema } from '../../schema.ts'

/**
 * `x-code` is the code in `details.fields[]` (decisions.md, section 4), `x-message` the sentence that the operator
 * reads.
 */
export const says = (code: FieldCode, message: string, description: string) => ({
  'x-code': code,
  'x-message': message,
  description,
})

export const flag = (name: string, description: string) =>
  Type.Boolean(says('INVALID_VALUE', `${name} must be true or false.`, description))
export const maybe = <T extends TSchema>(schema: T) => Type.Optional(schema)

/** As `nullable`, and the sentence says so too. */
export const orNull = <T extends TSchema>(schema: T) => {
  const message = String(schema['x-message']).replace(/\.$/, ', or null.')
  return nullable({ ...schema, 'x-message': message })
}

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
    ...says(
      code,
      `${name} must be a ${kind === 'integer' ? 'whole ' : ''}number from ${minimum} to ${maximum}.`,
      description,
    ),
  })

/** One of the numbers that stand for words. */
export const lookupId = (lookup: Readonly<Record<string, number>>, options: object) =>
  integerEnum(Object.values(lookup), options)

export const text = (maxLength: number, allowLines: boolean, name: string, description: string) =>
  Type.String({
    maxLength,
    pattern: allowLines ? '^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f]*$' : '^[^\\u0000-\\u001f\\u007f]*$',
    ...says(
      'INVALID_VALUE',
      `${name} must be text of at most ${maxLength} characters${allowLines ? '' : ' on one line'}.`,
      description,
    ),
  })

/** Words to find something by. */
export const tagList = (what: string) =>
  Type.Array(
    Type.String({
      maxLength: 50,
      pattern: '^(?!\\s*$)[^\\u0000-\\u001f\\u007f]+$',
      ...says(
        'INVALID_VALUE',
        'A tag must be a word of 1 to 50 characters on one line.',
        `A word to find the ${what} by.`,
      ),
    }),
    {
      maxItems: 32,
      uniqueItems: true,
      ...says(
        'INVALID_VALUE',
        'tags must be a list of at most 32 different words of 1 to 50 characters.',
        `Words to find the ${what} by.`,
      ),
    },
  )

/** Of what makes something: a repeat under the same word makes nothing a second time. */
export const ONCE_KEY = maybe(
  text(
    200,
    false,
    'idempotency_key',
    "A word of the client's own: the same word again within ten minutes returns the first answer.",
  ),
)
