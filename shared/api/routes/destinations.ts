// Where a rule relays to: as a client sends it, and as it is answered.
import { message } from '../../messages/message.ts'
import { nullable, strict, U32_MAX, type Static } from '../../schema.ts'
import { flag, maybe, ranged, refusedWith } from '../base/fields.ts'
import { Count, Flag, Id, shape, Text } from '../base/shapes.ts'
import { address, CHANGING, DROP_CONNECTIONS, port, rangeEnd } from './words.ts'

/** Of one rule (decisions.md, F5). */
export const MAX_DESTINATIONS = 64

export const RouteDestinationBody = strict(
  {
    address: address('INVALID_DESTINATION', 'address', 'Where connections are relayed to.'),
    port: port('port', 'The port there; of a range its first.'),
    port_range_end: rangeEnd(
      'port_range_end',
      'Last port of a range as wide as that of the bound ports. Null: the range follows from its first port.',
    ),
    weight: maybe(
      ranged(
        'integer',
        0,
        1000,
        'INVALID_WEIGHT',
        'weight',
        'Share of new connections where the balance is weighted; 0 gets none. Default 1.',
      ),
    ),
    is_enabled: maybe(flag('is_enabled', 'Whether it gets new connections. Default true.')),
    // What an answer adds, so that a list can be sent back as it came.
    route_destination_id: maybe(
      ranged(
        'integer',
        1,
        2 ** 53 - 1,
        'INVALID_VALUE',
        'route_destination_id',
        'Accepted and without effect: a destination is known by its address and port.',
      ),
    ),
    sort_order: maybe(
      ranged(
        'integer',
        0,
        U32_MAX,
        'INVALID_VALUE',
        'sort_order',
        'Accepted and without effect: the order is that of the list.',
      ),
    ),
  },
  refusedWith(
    'INVALID_DESTINATION',
    message('input.object', {
      field: 'destinations',
      names: 'address, port and, if wanted, port_range_end, weight and is_enabled',
    }),
    'Where connections are relayed to.',
  ),
)
export type RouteDestinationBody = Static<typeof RouteDestinationBody>

export const DestinationView = shape('Destination', {
  route_destination_id: Id,
  address: Text,
  port: Count,
  port_range_end: nullable(Count),
  weight: Count,
  is_enabled: Flag,
  sort_order: Count,
})
export type DestinationView = Static<typeof DestinationView>

export const AddDestinationBody = strict({ ...RouteDestinationBody.properties, ...CHANGING })
export type AddDestinationBody = Static<typeof AddDestinationBody>

/** By id or by value. */
export const RemoveDestinationBody = strict({
  route_destination_id: maybe(
    ranged('integer', 1, 2 ** 53 - 1, 'INVALID_VALUE', 'route_destination_id', 'The destination by its id.'),
  ),
  address: maybe(RouteDestinationBody.properties.address),
  port: maybe(RouteDestinationBody.properties.port),
  drop_connections: DROP_CONNECTIONS,
  ...CHANGING,
})
export type RemoveDestinationBody = Static<typeof RemoveDestinationBody>
