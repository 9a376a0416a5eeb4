// What a client may send about networks behind tunnels.
import type { Static } from '../../schema.ts'
import { requestProperties } from '../base/field-list.ts'
import { flag, maybe, ONCE_KEY, ranged } from '../base/fields.ts'
import { shape } from '../base/shapes.ts'
import { NETWORK_FIELDS } from './fields.ts'

const LOSE_ACCESS = maybe(
  flag(
    'i_understand_i_may_lose_access',
    'Go on although the answers to this very request go by what is changed, or would go another way.',
  ),
)

export const CreateNetworkBody = shape('CreateNetworkBody', {
  ...requestProperties(NETWORK_FIELDS),
  i_understand_i_may_lose_access: LOSE_ACCESS,
  idempotency_key: ONCE_KEY,
})
export type CreateNetworkBody = Static<typeof CreateNetworkBody>

const { idempotency_key: _once, ...changeable } = CreateNetworkBody.properties

/**
 * A field that is absent keeps its value; null is a value like another, where a field takes it. Without fields it puts
 * right what differs on the host.
 */
export const UpdateNetworkBody = shape('UpdateNetworkBody', {
  ...changeable,
  destination: maybe(changeable.destination),
  paths: maybe(changeable.paths),
})
export type UpdateNetworkBody = Static<typeof UpdateNetworkBody>

/** The fields of a network to be made; or, with an id, of what that network is to become. */
export const PreviewNetworkBody = shape('PreviewNetworkBody', {
  ...CreateNetworkBody.properties,
  destination: UpdateNetworkBody.properties.destination,
  paths: UpdateNetworkBody.properties.paths,
  network_id: maybe(
    ranged(
      'integer',
      1,
      2 ** 53 - 1,
      'UNKNOWN_NETWORK',
      'network_id',
      'The network that is to be changed to this. Absent: a new one.',
    ),
  ),
})
export type PreviewNetworkBody = Static<typeof PreviewNetworkBody>

/** The body of a request that needs no other field. */
export const NetworkActionBody = shape('NetworkActionBody', { i_understand_i_may_lose_access: LOSE_ACCESS })
export type NetworkActionBody = Static<typeof NetworkActionBody>
