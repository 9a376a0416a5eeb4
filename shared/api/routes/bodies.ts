// What a client may send about relay rules.
import { message } from '../../messages/message.ts'
import { Type, type Static } from '../../schema.ts'
import { requestProperties } from '../base/field-list.ts'
import { maybe, ONCE_KEY, ranged, refusedWith } from '../base/fields.ts'
import { ROUTE_FIELDS } from './fields.ts'
import { DROP_CONNECTIONS, FORCE, LOSE_ACCESS } from './words.ts'
import { shape } from '../base/shapes.ts'

export const CreateRouteBody = shape('CreateRouteBody', {
  ...requestProperties(ROUTE_FIELDS),
  force: FORCE,
  i_understand_i_may_lose_access: LOSE_ACCESS,
  idempotency_key: ONCE_KEY,
})
export type CreateRouteBody = Static<typeof CreateRouteBody>

const { idempotency_key: _once, ...changeable } = CreateRouteBody.properties

/** A field that is absent keeps its value; null is a value like another, where a field takes it. */
export const UpdateRouteBody = shape('UpdateRouteBody', {
  ...changeable,
  bind_port: maybe(changeable.bind_port),
  drop_connections: DROP_CONNECTIONS,
})
export type UpdateRouteBody = Static<typeof UpdateRouteBody>

/** The fields of a rule to be made; or, with an id, of what that rule is to become. */
export const PreviewRouteBody = shape('PreviewRouteBody', {
  ...CreateRouteBody.properties,
  route_rule_id: maybe(
    ranged(
      'integer',
      1,
      2 ** 53 - 1,
      'UNKNOWN_ROUTE',
      'route_rule_id',
      'The rule that is to be changed to this. Absent: a new one.',
    ),
  ),
})
export type PreviewRouteBody = Static<typeof PreviewRouteBody>

export const RouteActionBody = shape('RouteActionBody', { force: FORCE, i_understand_i_may_lose_access: LOSE_ACCESS })
export type RouteActionBody = Static<typeof RouteActionBody>

/** The body of a request that takes a rule out of force. */
export const EndRouteBody = shape('EndRouteBody', {
  drop_connections: DROP_CONNECTIONS,
  i_understand_i_may_lose_access: LOSE_ACCESS,
})
export type EndRouteBody = Static<typeof EndRouteBody>

export const ReorderBody = shape('ReorderBody', {
  route_rule_ids: Type.Array(
    Type.Integer({
      minimum: 1,
      ...refusedWith('UNKNOWN_ROUTE', message('input.rule_id', { field: 'route_rule_ids' }), 'A rule.'),
    }),
    {
      minItems: 1,
      maxItems: 20_000,
      ...refusedWith(
        'INVALID_VALUE',
        message('input.rule_ids', { field: 'route_rule_ids' }),
        'The rules in their new order. Those that are left out follow behind, in the order that they have.',
      ),
    },
  ),
  i_understand_i_may_lose_access: LOSE_ACCESS,
})
export type ReorderBody = Static<typeof ReorderBody>

/** The body of a request that needs nothing else. */
export const RouteWordBody = shape('RouteWordBody', { i_understand_i_may_lose_access: LOSE_ACCESS })
export type RouteWordBody = Static<typeof RouteWordBody>

export const DuplicateRouteBody = shape('DuplicateRouteBody', {
  ...RouteWordBody.properties,
  idempotency_key: ONCE_KEY,
})
