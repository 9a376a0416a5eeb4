// What a client may send about tunnels.
import type { Static } from '../../schema.ts'
import { requestProperties } from '../base/field-list.ts'
import { flag, maybe, ONCE_KEY } from '../base/fields.ts'
import { TunnelAddressBody } from './addresses.ts'
import { TUNNEL_FIELDS } from './fields.ts'
import { shape } from '../base/shapes.ts'

export const CreateTunnelBody = shape('CreateTunnelBody', {
  ...requestProperties(TUNNEL_FIELDS),
  force: maybe(
    flag(
      'force',
      'Go on in spite of a routing table or public range that speaks against the addresses. Stored nowhere.',
    ),
  ),
  i_understand_i_may_lose_access: maybe(
    flag('i_understand_i_may_lose_access', 'Go on although the answers to this very request would go into the tunnel.'),
  ),
  idempotency_key: ONCE_KEY,
})
export type CreateTunnelBody = Static<typeof CreateTunnelBody>

const { idempotency_key: _once, i_understand_i_may_lose_access: _making, ...changeable } = CreateTunnelBody.properties

/** A field that is absent keeps its value; null is a value like another, where a field takes it. */
export const UpdateTunnelBody = shape('UpdateTunnelBody', {
  ...changeable,
  local_endpoint: maybe(changeable.local_endpoint),
  addresses: {
    ...changeable.addresses,
    description: 'All the addresses inside the tunnel, in the place of those it has.',
  } as typeof changeable.addresses,
  confirm_recreate: maybe(
    flag(
      'confirm_recreate',
      'Go on where the link has to be recreated, or where the other end has to follow at the same time.',
    ),
  ),
  i_understand_i_may_lose_access: maybe(
    flag(
      'i_understand_i_may_lose_access',
      'Go on although this very request comes through what the change interrupts.',
    ),
  ),
})
export type UpdateTunnelBody = Static<typeof UpdateTunnelBody>

export const TunnelActionBody = shape('TunnelActionBody', {
  i_understand_i_may_lose_access: maybe(
    flag('i_understand_i_may_lose_access', 'Go on although this very request comes through the tunnel.'),
  ),
})
export type TunnelActionBody = Static<typeof TunnelActionBody>

const { is_primary: _which, ...anAddress } = TunnelAddressBody.properties
const CHANGING_ADDRESSES = {
  force: maybe(
    flag(
      'force',
      'Go on in spite of a routing table or public range that speaks against it, or where no address is left.',
    ),
  ),
  i_understand_i_may_lose_access: UpdateTunnelBody.properties.i_understand_i_may_lose_access,
}

export const AddAddressBody = shape('AddAddressBody', { ...TunnelAddressBody.properties, ...CHANGING_ADDRESSES })
export type AddAddressBody = Static<typeof AddAddressBody>

export const RemoveAddressBody = shape('RemoveAddressBody', { ...anAddress, ...CHANGING_ADDRESSES })
export type RemoveAddressBody = Static<typeof RemoveAddressBody>

export const DeleteTunnelBody = shape('DeleteTunnelBody', {
  force: maybe(
    flag('force', 'Delete the tunnel although it is a path of networks: they go on over their other paths.'),
  ),
  i_understand_i_may_lose_access: maybe(
    flag('i_understand_i_may_lose_access', 'Delete the tunnel although this very request comes through it.'),
  ),
})
export type DeleteTunnelBody = Static<typeof DeleteTunnelBody>
