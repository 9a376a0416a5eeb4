// Who may use a rule: as a client sends it, and as it is answered.
import { message } from '../../messages/message.ts'
import { strict, Type, type Static } from '../../schema.ts'
import { maybe, ranged, refusedWith, text } from '../base/fields.ts'
import { Id, shape, Text } from '../base/shapes.ts'
import { CHANGING } from './words.ts'

/** The limit for one rule (decisions.md, F6). */
export const MAX_ALLOWED_SOURCES = 256

const AllowedSourceCidr = Type.String({
  minLength: 2,
  maxLength: 49,
  ...refusedWith(
    'INVALID_CIDR',
    message('input.cidr', { field: 'cidr' }),
    'Who may use the relay: a network, or one address.',
  ),
})

export const AllowedSourceBody = strict(
  {
    cidr: AllowedSourceCidr,
    description: maybe(text(200, false, 'description', 'Whose it is.')),
    route_allowed_source_id: maybe(
      ranged(
        'integer',
        1,
        2 ** 53 - 1,
        'INVALID_VALUE',
        'route_allowed_source_id',
        'Accepted and without effect: a source is known by its network.',
      ),
    ),
  },
  {
    title: 'AllowedSourceBody',
    ...refusedWith(
      'INVALID_CIDR',
      message('input.object', { field: 'allowed_sources', names: 'cidr and, if wanted, description' }),
      'Who may use the relay.',
    ),
  },
)
export type AllowedSourceBody = Static<typeof AllowedSourceBody>

export const AllowedSourceView = shape('AllowedSource', { route_allowed_source_id: Id, cidr: Text, description: Text })
export type AllowedSourceView = Static<typeof AllowedSourceView>

export const AddAllowedSourceBody = shape('AddAllowedSourceBody', { ...AllowedSourceBody.properties, ...CHANGING })
export type AddAllowedSourceBody = Static<typeof AddAllowedSourceBody>

export const RemoveAllowedSourceBody = shape('RemoveAllowedSourceBody', {
  route_allowed_source_id: maybe(
    ranged('integer', 1, 2 ** 53 - 1, 'INVALID_VALUE', 'route_allowed_source_id', 'The source by its id.'),
  ),
  cidr: maybe(AllowedSourceCidr),
  ...CHANGING,
})
export type RemoveAllowedSourceBody = Static<typeof RemoveAllowedSourceBody>
