// Where a rule relays to: as a client sends it, and as it is answered.
import { message } from '../../messages/message.ts'
import { nullable, strict, stringEnum, U32_MAX, type Static } from '../../schema.ts'
import { flag, hostname, maybe, orNull, ranged, refusedWith, text } from '../base/fields.ts'
import { Count, described, Flag, Id, Instant, oneOf, shape, Text } from '../base/shapes.ts'
import { address, CHANGING, DROP_CONNECTIONS, port, rangeEnd } from './words.ts'

/** The limit for one rule (decisions.md, F5). */
export const MAX_DESTINATIONS = 64
/** Addresses of one name (decisions.md, F38). */
export const MAX_ADDRESSES_OF_NAME = 8

export const HOSTNAME_POLICIES = ['first', 'all'] as const
/** What the checks of a destination say. */
export const DESTINATION_STATES = ['unknown', 'up', 'down'] as const

export const RouteDestinationBody = strict(
  {
    address: maybe(
      address(
        'INVALID_DESTINATION',
        'address',
        'Where connections are relayed to. Beside a hostname it is without effect: it is what that was resolved to.',
      ),
    ),
    hostname: maybe(
      orNull(
        hostname(
          'hostname',
          'In the place of an address: the name that is resolved, and resolved again as long as the rule is there.',
        ),
      ),
    ),
    hostname_policy: maybe(
      orNull(
        stringEnum(
          HOSTNAME_POLICIES,
          refusedWith(
            'INVALID_VALUE',
            message('input.choice', { field: 'hostname_policy', options: HOSTNAME_POLICIES.join(', ') }),
            'Of several addresses of a name: first takes one and keeps it while it is among them, all makes each a destination, up to 8. Default first.',
          ),
        ),
      ),
    ),
    is_backup: maybe(
      flag('is_backup', 'Whether it gets new connections only while no other destination is up. Default false.'),
    ),
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
    state: maybe(
      stringEnum(
        DESTINATION_STATES,
        refusedWith(
          'INVALID_VALUE',
          message('input.choice', { field: 'state', options: DESTINATION_STATES.join(', ') }),
          'Accepted and without effect: it is what the checks say.',
        ),
      ),
    ),
    drained_until: maybe(
      orNull(
        text(40, false, 'drained_until', 'Accepted and without effect: drain and return are requests of their own.'),
      ),
    ),
  },
  {
    title: 'RouteDestinationBody',
    ...refusedWith(
      'INVALID_DESTINATION',
      message('input.object', {
        field: 'destinations',
        names: 'address, port and, if wanted, port_range_end, weight and is_enabled',
      }),
      'Where connections are relayed to.',
    ),
  },
)
export type RouteDestinationBody = Static<typeof RouteDestinationBody>

export const DestinationView = shape('Destination', {
  route_destination_id: Id,
  address: described(Text, 'Of a hostname what it was last resolved to; "" where it has never been.'),
  hostname: nullable(Text),
  hostname_policy: nullable(oneOf(HOSTNAME_POLICIES)),
  port: Count,
  port_range_end: nullable(Count),
  weight: Count,
  is_enabled: Flag,
  is_backup: Flag,
  drained_until: described(nullable(Instant), 'Taken out by hand until then; null where it is not.'),
  state: described(oneOf(DESTINATION_STATES), 'What its checks say; unknown without checks.'),
  sort_order: Count,
})
export type DestinationView = Static<typeof DestinationView>

export const AddDestinationBody = shape('AddDestinationBody', { ...RouteDestinationBody.properties, ...CHANGING })
export type AddDestinationBody = Static<typeof AddDestinationBody>

/** Names the destination by id or by value. */
export const RemoveDestinationBody = shape('RemoveDestinationBody', {
  route_destination_id: maybe(
    ranged('integer', 1, 2 ** 53 - 1, 'INVALID_VALUE', 'route_destination_id', 'The destination by its id.'),
  ),
  address: RouteDestinationBody.properties.address,
  port: maybe(RouteDestinationBody.properties.port),
  drop_connections: DROP_CONNECTIONS,
  ...CHANGING,
})
export type RemoveDestinationBody = Static<typeof RemoveDestinationBody>
