// An address inside a tunnel: as a client sends it, and as it is answered.
import { message } from '../../messages/message.ts'
import { strict, Type, type Static } from '../../schema.ts'
import { flag, maybe, ranged, refusedWith } from '../base/fields.ts'
import { ADDRESS_FAMILIES } from '../base/lookups.ts'
import { Count, Flag, Id, idIn, shape, Text } from '../base/shapes.ts'

export const TunnelAddressBody = strict(
  {
    address: Type.String({
      minLength: 2,
      maxLength: 45,
      ...refusedWith(
        'INVALID_ADDRESS',
        message('input.ip', { field: 'address' }),
        'The address of this end, inside the tunnel.',
      ),
    }),
    peer_address: maybe(
      Type.String({
        maxLength: 45,
        ...refusedWith(
          'INVALID_ADDRESS',
          message('input.ip_or_empty', { field: 'peer_address' }),
          'The address of the other end; "" where there is none.',
        ),
      }),
    ),
    prefix_length: ranged(
      'integer',
      1,
      128,
      'INVALID_PREFIX_LENGTH',
      'prefix_length',
      'Length of the subnet that the two ends share: 16 to 32 for IPv4, 48 to 128 for IPv6.',
    ),
    is_primary: maybe(
      flag('is_primary', 'Whether diagnostics and monitoring go by this address. The first is, where none says so.'),
    ),
  },
  {
    title: 'TunnelAddressBody',
    ...refusedWith(
      'INVALID_ADDRESS',
      message('input.object', {
        field: 'addresses',
        names: 'address, prefix_length and, if wanted, peer_address and is_primary',
      }),
      'An address inside the tunnel.',
    ),
  },
)
export type TunnelAddressBody = Static<typeof TunnelAddressBody>

/** The limit for one tunnel. */
export const MAX_ADDRESSES = 64

export const AddressView = shape('TunnelAddress', {
  tunnel_address_id: Id,
  address: Text,
  peer_address: Text,
  prefix_length: Count,
  address_family_id: idIn(ADDRESS_FAMILIES),
  is_primary: Flag,
  sort_order: Count,
})
export type AddressView = Static<typeof AddressView>
