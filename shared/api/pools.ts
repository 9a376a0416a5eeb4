// What a client may send about address pools, and what it is answered (reference.md, Pools; decisions.md, R31 to R35).
import { message } from '../messages/message.ts'
import { strict, Type, type Static } from '../schema.ts'
import { Warning } from './base/errors.ts'
import { refusedWith } from './base/fields.ts'
import { Always, Count, Flag, Id, list, oneOf, Sentence, shape, Text, described } from './base/shapes.ts'

const flag = (name: string, description: string) =>
  Type.Optional(Type.Boolean(refusedWith('INVALID_VALUE', message('input.flag', { field: name }), description)))

const fields = {
  address_pool_title: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^(?! *$)[^\\u0000-\\u001f\\u007f]*$',
    ...refusedWith(
      'INVALID_POOL_TITLE',
      message('input.title', { field: 'address_pool_title', length: 100 }),
      'A name for people.',
    ),
  }),
  cidr: Type.String({
    minLength: 1,
    maxLength: 49,
    ...refusedWith(
      'INVALID_CIDR',
      message('input.range', { field: 'cidr' }),
      'The range; bits behind its length are cut off.',
    ),
  }),
  prefix_length: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 127,
      ...refusedWith(
        'INVALID_PREFIX_LENGTH',
        message('input.pool_prefix', { field: 'prefix_length' }),
        'Length of the subnet that each tunnel gets. Absent: by the setting addressing.default_prefix_len; in a PUT: as it is.',
      ),
    }),
  ),
  description: Type.Optional(
    Type.String({
      maxLength: 500,
      pattern: '^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f]*$',
      ...refusedWith(
        'INVALID_VALUE',
        message('input.text', { field: 'description', length: 500 }),
        'A note about the range.',
      ),
    }),
  ),
  is_enabled: flag(
    'is_enabled',
    'Whether the pool is chosen where a request names none. Default true; in a PUT: as it is.',
  ),
  is_public_range: flag(
    'is_public_range',
    'Accepted and without effect, so that a pool can be sent back as it came: it is measured from the range.',
  ),
}

export const CreatePoolBody = shape('CreatePoolBody', {
  ...fields,
  idempotency_key: Type.Optional(
    Type.String({
      maxLength: 255,
      ...refusedWith(
        'INVALID_VALUE',
        message('input.text', { field: 'idempotency_key', length: 255 }),
        "A key of the client's own choice: the same key again within ten minutes returns the first answer.",
      ),
    }),
  ),
})
export type CreatePoolBody = Static<typeof CreatePoolBody>

export const UpdatePoolBody = shape('UpdatePoolBody', fields)
export type UpdatePoolBody = Static<typeof UpdatePoolBody>

/** Either body with those fields left out that the schema refused. */
export type PoolFields = Partial<UpdatePoolBody>

const Scheme = oneOf(['third_octet', 'dense'])

export const PoolCapacity = strict({
  scheme: Scheme,
  prefix_length: Count,
  capacity: described(Count, 'How many subnets the pool holds.'),
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
  tunnel_count: described(Count, 'Of the tunnels there are now.'),
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
