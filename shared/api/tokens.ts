// API tokens: what a client may send, and what it is answered.
import { message } from '../messages/message.ts'
import { nullable, stringEnum, Type, type Static } from '../schema.ts'
import { refusedWith } from './base/fields.ts'
import { Always, described, Flag, Id, Instant, list, Sentence, shape, Text } from './base/shapes.ts'
import { SCOPES, TOKEN_DAYS } from './scopes.ts'

const ScopeName = stringEnum(SCOPES)

export const TokenView = shape('ApiToken', {
  token_id: Id,
  title: Sentence,
  prefix: described(Sentence, 'What its text begins with.'),
  scopes: list(ScopeName),
  allowed_networks: described(list(Text), 'Where it may be used from; anywhere if empty.'),
  created_date: Instant,
  expires_date: nullable(Instant),
  is_expired: Flag,
  last_used_date: described(nullable(Instant), 'To the minute.'),
  last_used_ip: Text,
})
export type TokenView = Static<typeof TokenView>

export const ListTokensAnswer = shape('ApiTokens', { tokens: list(TokenView) })
export type ListTokensAnswer = Static<typeof ListTokensAnswer>

export const CreateTokenBody = shape('CreateTokenBody', {
  title: Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^[^\\u0000-\\u001f\\u007f]+$',
    'x-message': message('input.token_title'),
  }),
  scopes: Type.Array(ScopeName, { minItems: 1, maxItems: SCOPES.length, uniqueItems: true }),
  expires_date: Type.Optional(
    nullable(Type.String({ maxLength: 40, description: `Null: never. Default: ${TOKEN_DAYS} days from now.` })),
  ),
  allowed_networks: Type.Optional(
    Type.Array(
      Type.String({
        minLength: 2,
        maxLength: 49,
        ...refusedWith(
          'INVALID_CIDR',
          message('input.cidr', { field: 'allowed_networks' }),
          'A network, or one address.',
        ),
      }),
      { maxItems: 32 },
    ),
  ),
})
export type CreateTokenBody = Static<typeof CreateTokenBody>

export const CreateTokenAnswer = shape('ApiTokenCreated', {
  token: TokenView,
  text: described(Sentence, 'The token itself, for the header Authorization: Bearer. It is shown this once.'),
})
export type CreateTokenAnswer = Static<typeof CreateTokenAnswer>

export const EndedToken = shape('EndedApiToken', { token_id: Id, title: Sentence })
export type EndedToken = Static<typeof EndedToken>

export const DeleteTokenAnswer = shape('ApiTokenDeleted', { deleted: Always, token_id: Id })
export type DeleteTokenAnswer = Static<typeof DeleteTokenAnswer>
