// What a client may send about address pools, and what it is answered (reference.md, Pools; decisions.md, R31 to R35).
import { strict, Type, type Static } from '../schema.ts'
import { Warning } from './base/errors.ts'
import { says } from './base/fields.ts'
import { Always, Count, Flag, Id, list, oneOf, Sentence, shape, Text, told } from './base/shapes.ts'

const flag = (name: string, description: string) =>
  Type.Optional(Type.Boolean(says('INVALID_VALUE', `${name} must be true or false.`, description)))

const fields = {
  address_pool_title: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^(?! *$)[^\\u0000-\\u001f\\u007f]*$',
    ...says(
      'INVALID_POOL_TITLE',
      'address_pool_title must be text of 1 to 100 characters on one line.',
      'A name for people.',
    ),
  }),
  cidr: Type.String({
    minLength: 1,
    maxLength: 49,
    ...says(
      'INVALID_CIDR',
      'cidr must be a range such as 10.20.0.0/16 or fd00:1::/48.',
      'The range; bits behind its length are cut off.',
    ),
  }),
  prefix_length: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 127,
      ...says(
        'INVALID_PREFIX_LENGTH',
        'prefix_length must be a whole number from 24 to 31 for IPv4, up to 127 for IPv6, and not wider than the pool.',
        'Length of the subnet that each tunnel gets. Absent: by the setting addressing.default_prefix_len; in a PUT: as it is.',
      ),
    }),
  ),
  description: Type.Optional(
    Type.String({
      maxLength: 500,
      pattern: '^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f]*$',
      ...says(
        'INVALID_VALUE',
        'description must be text of at most 500 characters.',
        'Anything worth knowing of the range.',
      ),
    }),
  ),
  is_enabled: flag(
    'is_enabled',
    'Whether the pool is chosen where nobody says which. Default true; in a PUT: as it is.',
  ),
  is_public_range: flag(
    'is_public_range',
    'Accepted and without effect, so that a pool can be sent back as it came: it is measured from the range.',
  ),
}

export const CreatePoolBody = strict({
  ...fields,
  idempotency_key: Type.Optional(
    Type.String({
      maxLength: 255,
      ...says(
        'INVALID_VALUE',
        'idempotency_key must be text of at most 255 characters.',
        "A word of the client's own: the same word again within ten minutes returns the first answer.",
      ),
    }),
  ),
})
export type CreatePoolBody = Static<typeof CreatePoolBody>

export const UpdatePoolBody = strict(fields)
export type UpdatePoolBody = Static<typeof UpdatePoolBody>

/** Either body with those fields left out that the schema refused. */
export type PoolFields = Partial<UpdatePoolBody>

const Scheme = oneOf(['third_octet', 'dense'])
export type PoolScheme = Static<typeof Scheme>

export const PoolCapacity = strict({
  scheme: Scheme,
  prefix_length: Count,
  capacity: told(Count, 'How many subnets the pool holds.'),
  max_tunnel_number: Count,
})
export type PoolCapacity = Static<typeof PoolCapacity>

export const PoolView = shape('Pool', {
  address_pool_id: Id,
  address_pool_title: Sentence,
  description: Text,
  cidr: Text,
  prefix_length: Count,
  is_enabled: Flag,
  is_public_range: Flag,
  capacity: PoolCapacity,
  in_use: Flag,
  tunnel_count: told(Count, 'Of the tunnels there are now.'),
})
export type PoolView = Static<typeof PoolView>

export const ListPoolsAnswer = shape('Pools', { pools: list(PoolView), total: Count })
export type ListPoolsAnswer = Static<typeof ListPoolsAnswer>

export const ChangePoolAnswer = shape('PoolChanged', { ...PoolView.properties, warnings: list(Warning) })
export type ChangePoolAnswer = Static<typeof ChangePoolAnswer>

export const DeletePoolAnswer = shape('PoolDeleted', { deleted: Always, address_pool_id: Id })
export type DeletePoolAnswer = Static<typeof DeletePoolAnswer>

/** What a tunnel from this pool would get if it were made now. */
export const NextFreeAnswer = shape('NextFree', {
  allocation: strict({
    subnet: Text,
    tunnel_number: Count,
    address_a: Text,
    address_b: Text,
    address_pool_id: Id,
    address_pool_title: Text,
    prefix_length: Count,
    scheme: Scheme,
    is_public_range: Flag,
  }),
  warnings: list(Warning),
})
export type NextFreeAnswer = Static<typeof NextFreeAnswer>
