// What a client may send about relay rules. Each field says by itself what is expected of it and under which code it is refused.
import { integerEnum, strict, Type, U32_MAX, type Static } from '../../schema.ts'
import { flag, maybe, orNull, ranged, says, text } from '../fields.ts'
import { ADDRESS_FAMILIES, LOAD_BALANCE_MODES, NAT_MODES, ROUTE_PROTOCOLS } from '../lookups.ts'

/** Of one rule (decisions.md, F5, F6). */
export const MAX_DESTINATIONS = 64
export const MAX_ALLOWED_SOURCES = 256
export const MAX_TITLE = 100

const port = (name: string, description: string) => ranged('integer', 1, 65_535, 'INVALID_PORT', name, description)
const rangeEnd = (name: string, description: string) =>
  maybe(orNull(ranged('integer', 1, 65_535, 'INVALID_PORT_RANGE', name, description)))
const address = (code: string, name: string, description: string) =>
  Type.String({ minLength: 2, maxLength: 45, ...says(code, `${name} must be an IP address.`, description) })
const limit = (name: string, description: string) =>
  maybe(orNull(ranged('integer', 1, 1_000_000, 'INVALID_CONNECTION_LIMIT', name, description)))
const lookup = (ids: Readonly<Record<string, number>>, code: string, name: string, description: string) => {
  const words = Object.entries(ids).map(([title, id]) => `${id} (${title})`)
  return maybe(
    integerEnum(
      Object.values(ids),
      says(code, `${name} must be ${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}.`, description),
    ),
  )
}

const DROP_CONNECTIONS = maybe(
  flag(
    'drop_connections',
    'Also end the connections that the rule relays now to where it relays no longer. Default false: they live on.',
  ),
)

const AllowedSourceCidr = Type.String({
  minLength: 2,
  maxLength: 49,
  ...says(
    'INVALID_CIDR',
    'cidr must be an address or a network such as 203.0.113.0/24.',
    'Who may use the relay: a network, or one address.',
  ),
})

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
  says(
    'INVALID_DESTINATION',
    'Each of destinations must be an object with address, port and, if wanted, port_range_end, weight and is_enabled.',
    'Where connections are relayed to.',
  ),
)
export type RouteDestinationBody = Static<typeof RouteDestinationBody>

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
  says(
    'INVALID_CIDR',
    'Each of allowed_sources must be an object with cidr and, if wanted, description.',
    'Who may use the relay.',
  ),
)
export type AllowedSourceBody = Static<typeof AllowedSourceBody>

const FORCE = maybe(
  flag(
    'force',
    'Go on although a local process uses the port or a destination is this host itself. It never overrides what protects the panel and SSH.',
  ),
)
const LOSE_ACCESS = maybe(
  flag(
    'i_understand_i_may_lose_access',
    'Accepted and without effect: no relay rule can take the port of the panel or of SSH.',
  ),
)

export const CreateRouteBody = strict({
  route_rule_title: maybe(
    Type.String({
      minLength: 1,
      maxLength: MAX_TITLE,
      pattern: '^(?!\\s*$)[^\\u0000-\\u001f\\u007f]*$',
      ...says(
        'INVALID_ROUTE_TITLE',
        `route_rule_title must be text of 1 to ${MAX_TITLE} characters on one line.`,
        'Name of the rule, which no other has. Absent: made of its ports and destination.',
      ),
    }),
  ),
  description: maybe(text(2000, true, 'description', 'Anything worth remembering about the rule.')),
  route_protocol_id: lookup(
    ROUTE_PROTOCOLS,
    'INVALID_ROUTE_PROTOCOL',
    'route_protocol_id',
    'Protocol. Default 10, TCP.',
  ),
  address_family_id: lookup(
    ADDRESS_FAMILIES,
    'INVALID_ADDRESS_FAMILY',
    'address_family_id',
    'Family of all addresses of the rule. Absent: that of its addresses.',
  ),
  bind_address: maybe(
    address(
      'INVALID_BIND_ADDRESS',
      'bind_address',
      'Address of this server that connections come to; 0.0.0.0 or :: is every one of the family, and what holds where nothing is said.',
    ),
  ),
  bind_port: port('bind_port', 'Port that connections come to; of a range its first.'),
  bind_port_range_end: rangeEnd('bind_port_range_end', 'Last port of a range. Null: one port.'),
  bind_interface: maybe(
    orNull(
      Type.String({
        pattern: '^[A-Za-z0-9_.:@-]{1,15}$',
        ...says(
          'INTERFACE_NOT_FOUND',
          'bind_interface must be the name of an interface of this server.',
          'Interface that connections come in by. Null: any.',
        ),
      }),
    ),
  ),
  destination_address: maybe(
    address(
      'INVALID_DESTINATION',
      'destination_address',
      'Where connections are relayed to: the first of destinations. One of the two is needed.',
    ),
  ),
  destination_port: maybe(port('destination_port', 'The port there. Absent: bind_port.')),
  destination_port_range_end: rangeEnd(
    'destination_port_range_end',
    'Last port of a range as wide as that of the bound ports.',
  ),
  destinations: maybe(
    Type.Array(RouteDestinationBody, {
      minItems: 1,
      maxItems: MAX_DESTINATIONS,
      ...says(
        'INVALID_DESTINATION',
        `destinations must be a list of 1 to ${MAX_DESTINATIONS} destinations.`,
        'All the destinations, in order.',
      ),
    }),
  ),
  load_balance_mode_id: lookup(
    LOAD_BALANCE_MODES,
    'INVALID_LOAD_BALANCE_MODE',
    'load_balance_mode_id',
    'How new connections are dealt out. Absent: 10, None, for one destination and 20, RoundRobin, for several.',
  ),
  nat_mode_id: lookup(
    NAT_MODES,
    'INVALID_NAT_MODE',
    'nat_mode_id',
    'What the destination sees as the source. Default 10, Masquerade: this server.',
  ),
  snat_address: maybe(
    orNull(
      address('INVALID_SNAT_ADDRESS', 'snat_address', 'The source that the destination sees with nat_mode_id 20.'),
    ),
  ),
  allowed_sources: maybe(
    Type.Array(AllowedSourceBody, {
      maxItems: MAX_ALLOWED_SOURCES,
      ...says(
        'INVALID_CIDR',
        `allowed_sources must be a list of at most ${MAX_ALLOWED_SOURCES} networks.`,
        'Who may use the relay. Empty: anybody who can reach the bind address.',
      ),
    }),
  ),
  is_enabled: maybe(flag('is_enabled', 'Whether the rule is in force. Default true.')),
  is_clamp_mss_to_pmtu: maybe(
    flag('is_clamp_mss_to_pmtu', 'Have TCP connections keep to what the path carries. Default true.'),
  ),
  is_include_local_originated: maybe(
    flag('is_include_local_originated', 'Also relay connections that this server itself opens. Default false.'),
  ),
  is_logging_enabled: maybe(flag('is_logging_enabled', 'Write new connections to the kernel log. Default false.')),
  fwmark: maybe(
    orNull(
      ranged(
        'integer',
        1,
        U32_MAX,
        'INVALID_FWMARK',
        'fwmark',
        'Firewall mark that packets of the rule are given. Null: none.',
      ),
    ),
  ),
  max_connections_per_source: limit(
    'max_connections_per_source',
    'Open connections that one source address may have. Null: any number.',
  ),
  connection_rate_limit: limit(
    'connection_rate_limit',
    'New connections a second that the rule takes. Null: any number.',
  ),
  tunnel_id: maybe(
    orNull(
      ranged(
        'integer',
        1,
        2 ** 53 - 1,
        'UNKNOWN_TUNNEL',
        'tunnel_id',
        "The tunnel that the rule relays over. It decides the health that is shown, and no packet's way.",
      ),
    ),
  ),
  sort_order: maybe(
    ranged(
      'integer',
      0,
      U32_MAX,
      'INVALID_VALUE',
      'sort_order',
      'Place among the rules: of two that match, the lower one wins. Absent: after all others.',
    ),
  ),
  tags: maybe(
    Type.Array(text(50, false, 'A tag', 'A word to find the rule by.'), {
      maxItems: 32,
      ...says(
        'INVALID_VALUE',
        'tags must be a list of at most 32 words of at most 50 characters.',
        'Words to find the rule by.',
      ),
    }),
  ),
  force: FORCE,
  i_understand_i_may_lose_access: LOSE_ACCESS,
  idempotency_key: maybe(
    text(
      200,
      false,
      'idempotency_key',
      "A word of the client's own: the same word again within ten minutes returns the first answer.",
    ),
  ),
})
export type CreateRouteBody = Static<typeof CreateRouteBody>

const { idempotency_key: _once, ...changeable } = CreateRouteBody.properties

/** A field that is absent keeps its value; null is a value like another, where a field takes it. */
export const UpdateRouteBody = strict({
  ...changeable,
  bind_port: maybe(changeable.bind_port),
  drop_connections: DROP_CONNECTIONS,
})
export type UpdateRouteBody = Static<typeof UpdateRouteBody>

/** As of a rule to be made; or, with an id, of what that rule is to become. */
export const PreviewRouteBody = strict({
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

export const RouteActionBody = strict({ force: FORCE, i_understand_i_may_lose_access: LOSE_ACCESS })
export type RouteActionBody = Static<typeof RouteActionBody>

/** Of what takes a rule out of force. */
export const EndRouteBody = strict({ drop_connections: DROP_CONNECTIONS, i_understand_i_may_lose_access: LOSE_ACCESS })
export type EndRouteBody = Static<typeof EndRouteBody>

export const ReorderBody = strict({
  route_rule_ids: Type.Array(
    Type.Integer({ minimum: 1, ...says('UNKNOWN_ROUTE', 'route_rule_ids must hold ids of rules.', 'A rule.') }),
    {
      minItems: 1,
      maxItems: 20_000,
      ...says(
        'INVALID_VALUE',
        'route_rule_ids must be a list of rule ids.',
        'Rules in the order in which they shall stand. Those that are left out keep their places among themselves, behind.',
      ),
    },
  ),
  i_understand_i_may_lose_access: LOSE_ACCESS,
})
export type ReorderBody = Static<typeof ReorderBody>

const CHANGING = { force: FORCE, i_understand_i_may_lose_access: LOSE_ACCESS }
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

export const AddAllowedSourceBody = strict({ ...AllowedSourceBody.properties, ...CHANGING })
export type AddAllowedSourceBody = Static<typeof AddAllowedSourceBody>

export const RemoveAllowedSourceBody = strict({
  route_allowed_source_id: maybe(
    ranged('integer', 1, 2 ** 53 - 1, 'INVALID_VALUE', 'route_allowed_source_id', 'The source by its id.'),
  ),
  cidr: maybe(AllowedSourceCidr),
  ...CHANGING,
})
export type RemoveAllowedSourceBody = Static<typeof RemoveAllowedSourceBody>
