// What a client may send about address pools, and what it is answered (interface.md, Pools; decisions.md, R31 to R35).
import { strict, Type, type Static } from '../model/schema.ts'
import type { Warning } from './errors.ts'

const says = (code: string, message: string, description: string) => ({ 'x-code': code, 'x-message': message, description })
const flag = (name: string, description: string) => Type.Optional(Type.Boolean(says('INVALID_VALUE', `${name} must be true or false.`, description)))

const fields = {
  address_pool_title: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^(?! *$)[^\\u0000-\\u001f\\u007f]*$',
    ...says('INVALID_POOL_TITLE', 'address_pool_title must be text of 1 to 100 characters on one line.', 'A name for people.'),
  }),
  cidr: Type.String({ minLength: 1, maxLength: 49, ...says('INVALID_CIDR', 'cidr must be a range such as 10.20.0.0/16 or fd00:1::/48.', 'The range; bits behind its length are cut off.') }),
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
      ...says('INVALID_VALUE', 'description must be text of at most 500 characters.', 'Anything worth knowing of the range.'),
    }),
  ),
  is_enabled: flag('is_enabled', 'Whether the pool is chosen where nobody says which. Default true; in a PUT: as it is.'),
  is_public_range: flag('is_public_range', 'Accepted and without effect, so that a pool can be sent back as it came: it is measured from the range.'),
}

export const CreatePoolBody = strict({
  ...fields,
  idempotency_key: Type.Optional(
    Type.String({ maxLength: 255, ...says('INVALID_VALUE', 'idempotency_key must be text of at most 255 characters.', 'A word of the client\'s own: the same word again within ten minutes returns the first answer.') }),
  ),
})
export type CreatePoolBody = Static<typeof CreatePoolBody>

export const UpdatePoolBody = strict(fields)
export type UpdatePoolBody = Static<typeof UpdatePoolBody>

/** Either body with those fields left out that the schema refused. */
export type PoolFields = Partial<UpdatePoolBody>

export type PoolScheme = 'third_octet' | 'dense'

export interface PoolCapacity {
  scheme: PoolScheme
  prefix_length: number
  capacity: number
  max_tunnel_number: number
}

export interface PoolView {
  address_pool_id: number
  address_pool_title: string
  description: string
  cidr: string
  prefix_length: number
  is_enabled: boolean
  is_public_range: boolean
  capacity: PoolCapacity
  in_use: boolean
  /** Of the tunnels there are now. */
  tunnel_count: number
}

export interface ListPoolsAnswer {
  pools: PoolView[]
  total: number
}

export interface ChangePoolAnswer extends PoolView {
  warnings: Warning[]
}

export interface DeletePoolAnswer {
  deleted: true
  address_pool_id: number
}

/** What a tunnel from this pool would get if it were made now. */
export interface NextFreeAnswer {
  allocation: {
    subnet: string
    tunnel_number: number
    address_a: string
    address_b: string
    address_pool_id: number
    address_pool_title: string
    prefix_length: number
    scheme: PoolScheme
    is_public_range: boolean
  }
  warnings: Warning[]
}
