// The fields of a relay rule. Row, record, answer, requests and the items of a backup are derived from this list; a new
// column needs a migration beside it.
import { message } from '../../messages/message.ts'
import { nullable, Type, U32_MAX } from '../../schema.ts'
import { APPLIED_FIELDS } from '../base/applied-fields.ts'
import { field, type ColumnsOf, type RecordOf } from '../base/field-list.ts'
import type { FieldCode } from '../base/codes.ts'
import { HEAL_FIELDS } from '../base/heal-fields.ts'
import { FAST_PATH_FIELDS, FAST_PATH_STATE } from './fast-path-fields.ts'
import { flag, lookupId, maybe, orNull, ranged, refusedWith, tagList, text, title } from '../base/fields.ts'
import { ADDRESS_FAMILIES, LOAD_BALANCE_MODES, NAT_MODES, ROUTE_PROTOCOLS } from '../base/lookups.ts'
import { Count, Flag, Id, idIn, list, Sentence, Text, described } from '../base/shapes.ts'
import { AllowedSourceBody, AllowedSourceView, MAX_ALLOWED_SOURCES } from './allowed-sources.ts'
import { RouteCheck, RouteCheckBody } from './check.ts'
import { DestinationView, MAX_DESTINATIONS, RouteDestinationBody } from './destinations.ts'
import { address, port, rangeEnd } from './words.ts'

const limit = (name: string, description: string) =>
  maybe(orNull(ranged('integer', 1, 1_000_000, 'INVALID_CONNECTION_LIMIT', name, description)))
const interfaceOf = (code: FieldCode, name: string, description: string) =>
  maybe(
    orNull(
      Type.String({
        pattern: '^[A-Za-z0-9_.:@-]{1,15}$',
        ...refusedWith(code, message('input.own_interface', { field: name }), description),
      }),
    ),
  )
const lookup = (ids: Readonly<Record<string, number>>, code: FieldCode, name: string, description: string) => {
  const words = Object.entries(ids).map(([title, id]) => `${id} (${title})`)
  return maybe(
    lookupId(
      ids,
      refusedWith(
        code,
        message('input.choice', { field: name, options: `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}` }),
        description,
      ),
    ),
  )
}

/** In the order in which a request's problems are reported. */
export const ROUTE_FIELDS = {
  /** Chosen by the panel, since the kernel knows the rule by it before the row is there. */
  route_rule_id: field({ answer: Id }),
  route_rule_title: field({
    answer: Sentence,
    request: maybe(
      title(
        'INVALID_ROUTE_TITLE',
        'route_rule_title',
        'Name of the rule, which no other has. Absent: made of its ports and destination.',
      ),
    ),
    isLabel: true,
  }),
  description: field({
    answer: Text,
    request: maybe(text(2000, true, 'description', 'Anything worth remembering about the rule.')),
    byDefault: '',
    isLabel: true,
  }),
  route_protocol_id: field({
    answer: idIn(ROUTE_PROTOCOLS),
    request: lookup(ROUTE_PROTOCOLS, 'INVALID_ROUTE_PROTOCOL', 'route_protocol_id', 'Protocol. Default 10, TCP.'),
  }),
  address_family_id: field({
    answer: idIn(ADDRESS_FAMILIES),
    request: lookup(
      ADDRESS_FAMILIES,
      'INVALID_ADDRESS_FAMILY',
      'address_family_id',
      'Family of all addresses of the rule. Absent: that of its addresses.',
    ),
  }),
  bind_address: field({
    answer: Text,
    request: maybe(
      address(
        'INVALID_BIND_ADDRESS',
        'bind_address',
        'Address of this server that connections come to; 0.0.0.0 or :: is every one of the family, and the default.',
      ),
    ),
  }),
  bind_address_interface: field({
    answer: nullable(Text),
    request: interfaceOf(
      'INTERFACE_WITHOUT_ADDRESS',
      'bind_address_interface',
      'Interface whose address bind_address is, also once that changes; bind_address sent beside it holds until the interface has one. Null: bind_address is fixed.',
    ),
    byDefault: null,
  }),
  bind_port: field({
    answer: Count,
    request: port('bind_port', 'Port that connections come to; of a range its first.'),
  }),
  bind_port_range_end: field({
    answer: nullable(Count),
    request: rangeEnd('bind_port_range_end', 'Last port of a range. Null: one port.'),
  }),
  bind_interface: field({
    answer: nullable(Text),
    request: interfaceOf('INTERFACE_NOT_FOUND', 'bind_interface', 'Interface that connections come in by. Null: any.'),
  }),
  destination_address: field({
    answer: described(Text, 'As destination_port and destination_port_range_end, of the first of destinations.'),
    request: maybe(
      address(
        'INVALID_DESTINATION',
        'destination_address',
        'Where connections are relayed to: the first of destinations. One of the two is needed.',
      ),
    ),
    stored: 'computed',
  }),
  destination_port: field({
    answer: Count,
    request: maybe(port('destination_port', 'The port there. Absent: bind_port.')),
    stored: 'computed',
  }),
  destination_port_range_end: field({
    answer: nullable(Count),
    request: rangeEnd('destination_port_range_end', 'Last port of a range as wide as that of the bound ports.'),
    stored: 'computed',
  }),
  destinations: field({
    answer: list(DestinationView),
    request: maybe(
      Type.Array(RouteDestinationBody, {
        minItems: 1,
        maxItems: MAX_DESTINATIONS,
        ...refusedWith(
          'INVALID_DESTINATION',
          message('input.some', {
            field: 'destinations',
            count: MAX_DESTINATIONS,
            items: message('input.destinations'),
          }),
          'All the destinations, in order.',
        ),
      }),
    ),
    stored: 'elsewhere',
  }),
  check: field({
    answer: described(nullable(RouteCheck), 'How the destinations are checked; null: they are not.'),
    request: maybe(orNull(RouteCheckBody)),
    byDefault: null,
    stored: 'elsewhere',
  }),
  load_balance_mode_id: field({
    answer: idIn(LOAD_BALANCE_MODES),
    request: lookup(
      LOAD_BALANCE_MODES,
      'INVALID_LOAD_BALANCE_MODE',
      'load_balance_mode_id',
      'How new connections are distributed. Absent: 10, None, for one destination and 20, RoundRobin, for several.',
    ),
  }),
  nat_mode_id: field({
    answer: idIn(NAT_MODES),
    request: lookup(
      NAT_MODES,
      'INVALID_NAT_MODE',
      'nat_mode_id',
      'What the destination sees as the source. Default 10, Masquerade: this server.',
    ),
  }),
  snat_address: field({
    answer: nullable(Text),
    request: maybe(
      orNull(
        address('INVALID_SNAT_ADDRESS', 'snat_address', 'The source that the destination sees with nat_mode_id 20.'),
      ),
    ),
  }),
  snat_address_interface: field({
    answer: nullable(Text),
    request: interfaceOf(
      'INTERFACE_WITHOUT_ADDRESS',
      'snat_address_interface',
      'Interface whose address snat_address is, as bind_address_interface. Null: snat_address is fixed.',
    ),
    byDefault: null,
  }),
  allowed_sources: field({
    answer: list(AllowedSourceView),
    request: maybe(
      Type.Array(AllowedSourceBody, {
        maxItems: MAX_ALLOWED_SOURCES,
        ...refusedWith(
          'INVALID_CIDR',
          message('input.list', {
            field: 'allowed_sources',
            count: MAX_ALLOWED_SOURCES,
            items: message('input.networks'),
          }),
          'Who may use the relay. Empty: anybody who can reach the bind address.',
        ),
      }),
    ),
    stored: 'elsewhere',
  }),
  is_enabled: field({
    answer: Flag,
    request: maybe(flag('is_enabled', 'Whether the rule is in force. Default true.')),
    byDefault: true,
  }),
  is_clamp_mss_to_pmtu: field({
    answer: Flag,
    request: maybe(flag('is_clamp_mss_to_pmtu', 'Have TCP connections keep to what the path carries. Default true.')),
  }),
  is_include_local_originated: field({
    answer: Flag,
    request: maybe(
      flag('is_include_local_originated', 'Also relay connections that this server itself opens. Default false.'),
    ),
    byDefault: false,
  }),
  is_logging_enabled: field({
    answer: Flag,
    request: maybe(flag('is_logging_enabled', 'Write new connections to the kernel log. Default false.')),
    byDefault: false,
  }),
  fwmark: field({
    answer: nullable(Count),
    request: maybe(
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
    byDefault: null,
  }),
  max_connections_per_source: field({
    answer: nullable(Count),
    request: limit(
      'max_connections_per_source',
      'Open connections that one source address may have. Null: any number.',
    ),
    byDefault: null,
  }),
  connection_rate_limit: field({
    answer: nullable(Count),
    request: limit('connection_rate_limit', 'New connections a second that the rule takes. Null: any number.'),
    byDefault: null,
  }),
  tunnel_id: field({
    answer: nullable(Id),
    request: maybe(
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
    byDefault: null,
  }),
  sort_order: field({
    answer: Count,
    request: maybe(
      ranged(
        'integer',
        0,
        U32_MAX,
        'INVALID_VALUE',
        'sort_order',
        'Place among the rules: of two that match, the lower one wins. Absent: after all others.',
      ),
    ),
  }),
  tags: field({
    answer: list(Text),
    request: maybe(tagList('rule')),
    byDefault: [],
    isLabel: true,
  }),
  ...HEAL_FIELDS,
  ...FAST_PATH_FIELDS,
  ...APPLIED_FIELDS,
}

/** The fields of a stored rule, with those that no answer has. */
export const STORED_ROUTE_FIELDS = { ...ROUTE_FIELDS, ...FAST_PATH_STATE }

export type RouteRecord = RecordOf<typeof STORED_ROUTE_FIELDS>
export type RouteColumns = ColumnsOf<typeof STORED_ROUTE_FIELDS>
